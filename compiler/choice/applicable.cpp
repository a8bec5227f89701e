// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/steps.h"
#include "compiler/poly/names.h"
#include <fmt/format.h>
#include <isl/map.h>

namespace pbc::choice {

namespace {

/// The largest number of pieces of a rule's domain: sets of more pieces make all later steps slow.
constexpr int kMostPieces = 30;

/// The first binding that prevents the rule from running anywhere, for the message.
const sema::Binding *blockingBinding(const sema::Rule &r, const Spaces &spaces, const isl::set &context) {
  isl::set domain = spaces.points(r).intersect_params(context);
  for (const auto *list : {&r.outputs, &r.inputs})
    for (const auto &b : *list) {
      domain = domain.intersect(spaces.inBounds(r, b));
      if (domain.is_empty())
        return &b;
    }
  return nullptr;
}

/// The first size variable that is used as a coordinate by itself, or "".
std::string sizeAsCoordinate(const sema::Transform &t, const sema::Binding &b) {
  for (const auto &at : b.begin)
    for (const std::string &size : t.sizeVariables)
      if (at.cxx == poly::mangle(size))
        return size;
  return "";
}

void reportEmpty(const sema::Transform &t, const sema::Rule &r, const Spaces &spaces, const isl::set &context,
                 source::Diagnostics &diagnostics) {
  if (const auto *b = blockingBinding(r, spaces, context)) {
    const sema::Matrix &m = t.matrices[b->matrix];
    auto &error = diagnostics.error(
        b->span,
        fmt::format("this region of `{}` is out of bounds for every size: the rule can never run", m.name));
    error.note(m.span, "the matrix is declared here");
    if (const std::string size = sizeAsCoordinate(t, *b); !size.empty())
      error.help(fmt::format(
          "`{0}` is a size of the transform, so this is one place for all cells: give the coordinate "
          "a name of its own",
          size));
    else
      error.help("coordinates count from 0, and the end of a region is not included");
    return;
  }
  // This is only a warning, because a condition may exclude one copy of a `duplicate` on purpose.
  diagnostics
      .warning(r.where.empty() ? r.headerSpan : r.where.front().span, "the `where` clause is never true")
      .help("with this condition the rule can never run: correct or remove it");
}

/// Whether the output is one cell for all values of some of the rule's variables (`S` beside `B.cell(i)`),
/// and its regions are apart for different values of the others.
bool isShared(const sema::Rule &r, const sema::Binding &b, const isl::map &writes, const Spaces &spaces) {
  const isl::map region = spaces.access(r, b);
  isl_map *same = isl_map_apply_range(writes.copy(), isl_map_reverse(writes.copy()));
  isl_map *apart = isl_map_universe(isl_map_get_space(same));
  bool isShared = false;
  for (std::size_t v = 0; v < r.freeVariables.size(); ++v) {
    const auto d = static_cast<unsigned>(v);
    if (isl_map_involves_dims(region.get(), isl_dim_in, d, 1) == isl_bool_true)
      apart = isl_map_equate(apart, isl_dim_in, static_cast<int>(d), isl_dim_out, static_cast<int>(d));
    else
      isShared = true;
  }
  return isl::manage(same).is_subset(isl::manage(apart)) && isShared;
}

void reportTwice(const sema::Transform &t, const sema::Rule &r, const sema::Binding &b,
                 source::Diagnostics &diagnostics) {
  diagnostics
      .error(b.span,
             fmt::format("the rule writes some cells of `{}` more than once", t.matrices[b.matrix].name))
      .help(r.freeVariables.empty()
                ? "each cell is computed exactly once"
                : fmt::format("for different values of {} the regions overlap; each cell is "
                              "computed exactly once",
                              fmt::join(r.freeVariables, ", ")));
}

/// Reports matrices of the rule's own whose size is negative wherever it runs, as `t[0-5]`.
void reportNegative(const sema::Rule &r, const isl::set &domain, const Spaces &spaces,
                    source::Diagnostics &diagnostics) {
  for (const auto &local : r.locals)
    if (!domain.is_empty() && domain.intersect(spaces.fits(r, local)).is_empty())
      diagnostics.error(local.span, fmt::format("the size of `{}` is negative for every size", local.name))
          .help("a matrix has 0 cells or more in each dimension: correct its size");
}

/// Reports outputs that overlap for all sizes. Outputs that overlap for some sizes only, as `B.cell(0)` and
/// `B.cell(n-1)` do for n = 1, are allowed.
void reportSame(const sema::Transform &t, const sema::Rule &r, const Application &a,
                source::Diagnostics &diagnostics) {
  for (std::size_t i = 0; i < r.outputs.size(); ++i)
    for (std::size_t k = 0; k < i && !a.domain.is_empty(); ++k) {
      const auto &b = r.outputs[i];
      if (b.matrix == r.outputs[k].matrix && a.writes[i].is_equal(a.writes[k]))
        diagnostics
            .error(b.span, fmt::format("the rule writes some cells of `{}` more than once",
                                       t.matrices[b.matrix].name))
            .note(r.outputs[k].span, "these are the same cells")
            .help("name them once");
    }
}

} // namespace

std::vector<Application> applicableRegions(const sema::Transform &t, const Spaces &spaces,
                                           const isl::set &context, source::Diagnostics &diagnostics) {
  std::vector<Application> applications;
  for (const auto &r : t.rules) {
    Application a{r.index, spaces.points(r), {}, {}};
    for (const auto *list : {&r.outputs, &r.inputs})
      for (const auto &b : *list)
        a.domain = a.domain.intersect(spaces.inBounds(r, b));
    a.domain = poly::simplified(a.domain.intersect(spaces.whereHolds(r)).intersect_params(context));
    if (isl_set_n_basic_set(a.domain.get()) > kMostPieces) {
      diagnostics
          .error(r.where.front().span,
                 fmt::format("the conditions of this `where` leave more than {} pieces", kMostPieces))
          .help("use fewer `or`, `!=` and `not`, or decide in the rule's body");
      a.domain = isl::set::empty(a.domain.get_space());
    } else if (a.domain.is_empty())
      reportEmpty(t, r, spaces, context, diagnostics);
    reportNegative(r, a.domain, spaces, diagnostics);
    for (const auto &b : r.outputs)
      a.writes.push_back(spaces.access(r, b).intersect_domain(a.domain));
    for (const auto &b : r.inputs)
      a.reads.push_back(spaces.access(r, b).intersect_domain(a.domain));
    for (std::size_t i = 0; i < r.outputs.size(); ++i)
      if (!a.writes[i].is_injective() && !isShared(r, r.outputs[i], a.writes[i], spaces))
        reportTwice(t, r, r.outputs[i], diagnostics);
    reportSame(t, r, a, diagnostics);
    applications.push_back(std::move(a));
  }
  return applications;
}

} // namespace pbc::choice
