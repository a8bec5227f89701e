// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/stage.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/expose.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/fixed_box.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// What fits into a cache of the second level several times.
constexpr long kMostBytes = 1L << 19;

/// The loops around a node, the outermost first, with the one whose label it is.
std::vector<std::string> loopsAround(const LoopNode &loop) {
  std::vector<std::string> labels{loop.label};
  isl::schedule_node node = loop.top;
  while (isl_schedule_node_has_parent(node.get()) == isl_bool_true) {
    node = isl::manage(isl_schedule_node_parent(node.release()));
    if (const auto outer = loopAt(node))
      labels.insert(labels.begin(), outer->label);
  }
  return labels;
}

/// The copy of one matrix.
struct Copy {
  int matrix = -1;
  std::vector<std::string> loops; // around it
  std::size_t cells = 0;          // dimensions of the matrix
  isl::map touched;               // { [loops] -> [cells] }
  isl::multi_aff first;           // { [loops] -> [first cell of the box] }
  std::vector<long> extents;      // of the box
  std::vector<std::size_t> order; // which dimension of the matrix each dimension of the scratch memory is
};

/// { S[i] -> [values of the loops] }
isl::map valuesOf(const Statement &s, const std::vector<int> &dimensions) {
  isl_space *space = isl_set_get_space(s.domain.get());
  isl_map *values = isl_map_from_domain(isl_set_universe(isl_space_copy(space)));
  isl_local_space *local = isl_local_space_from_space(space);
  for (const int d : dimensions) {
    isl_aff *value =
        isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, static_cast<unsigned>(d));
    values = isl_map_flat_range_product(values, isl_map_from_aff(value));
  }
  isl_local_space_free(local);
  return isl::manage(values);
}

/// Without the name of its range.
isl::map unnamed(const isl::map &m) { return isl::manage(isl_map_reset_tuple_id(m.copy(), isl_dim_out)); }

/// Finds the box; a sentence if it has no constant size.
std::string findBox(Copy &copy, const Exposed &exposed, const Scheduled &kernel, const std::string &name) {
  for (const auto &[index, dimensions] : exposed.dimensions) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    for (const Access &a : s.accesses) {
      if (a.buffer != copy.matrix)
        continue;
      const isl::map here =
          valuesOf(s, dimensions).intersect_domain(s.domain).reverse().apply_range(unnamed(a.relation));
      copy.touched = copy.touched.is_null() ? here : copy.touched.unite(here);
    }
  }
  copy.touched = isl::manage(isl_map_coalesce(copy.touched.release())).intersect_params(kernel.context);
  isl_fixed_box *box = isl_map_get_range_simple_fixed_box_hull(copy.touched.get());
  if (isl_fixed_box_is_valid(box) != isl_bool_true) {
    isl_fixed_box_free(box);
    return fmt::format(
        "the cells of {} that one step of {} reads have no constant extent (tile its loops first)", name,
        copy.loops.back());
  }
  copy.first = isl::manage(isl_fixed_box_get_offset(box));
  isl_multi_val *size = isl_fixed_box_get_size(box);
  isl_fixed_box_free(box);
  for (std::size_t d = 0; d < copy.cells; ++d) {
    isl_val *extent = isl_multi_val_get_val(size, static_cast<int>(d));
    copy.extents.push_back(isl_val_get_num_si(extent));
    isl_val_free(extent);
  }
  isl_multi_val_free(size);
  return "";
}

/// { T[..] -> scratch[cell - first cell of the box] }, where `values` are { T[..] -> [loops] } and `cells` { T[..] -> [cell] }.
isl::map place(const Copy &copy, const isl::map &values, const isl::map &cells, const std::string &scratch) {
  isl_multi_pw_aff *cell = isl_multi_pw_aff_from_pw_multi_aff(isl_pw_multi_aff_from_map(cells.copy()));
  isl_pw_multi_aff *at = isl_pw_multi_aff_from_map(values.copy());
  at = isl_pw_multi_aff_pullback_pw_multi_aff(isl_pw_multi_aff_from_multi_aff(copy.first.copy()), at);
  isl_multi_pw_aff *first = isl_multi_pw_aff_from_pw_multi_aff(at);
  isl_map *all = nullptr;
  for (const std::size_t d : copy.order) {
    isl_pw_aff *offset = isl_pw_aff_sub(isl_multi_pw_aff_get_pw_aff(cell, static_cast<int>(d)),
                                        isl_multi_pw_aff_get_pw_aff(first, static_cast<int>(d)));
    isl_map *here = isl_map_from_pw_aff(offset);
    all = all ? isl_map_flat_range_product(all, here) : here;
  }
  isl_multi_pw_aff_free(cell);
  isl_multi_pw_aff_free(first);
  return isl::manage(isl_map_set_tuple_name(all, isl_dim_out, scratch.c_str()));
}

/// { copy[loops, cells] -> [its dimensions from `from` on, `count` of them] }
isl::map dimensionsOf(const isl::set &domain, std::size_t from, std::size_t count) {
  isl_map *all = isl_map_from_domain(isl_set_universe(isl_set_get_space(domain.get())));
  for (std::size_t d = from; d < from + count; ++d) {
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(domain.get()));
    all = isl_map_flat_range_product(
        all, isl_map_from_aff(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(d))));
  }
  return isl::manage(all);
}

/// The statement that fills the scratch memory; it is added to the kernel.
Statement copyStatement(const Copy &copy, const Kernel &kernel, const std::string &name, int scratch) {
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(copy.matrix)];
  Statement s;
  s.name = name;
  s.dimensions = copy.loops;
  for (std::size_t d = 0; d < copy.cells; ++d)
    s.dimensions.push_back(fmt::format("{}{}", matrix.name, d));
  s.freeCount = static_cast<int>(s.dimensions.size());
  isl_set *domain = isl_set_flatten(isl_map_wrap(copy.touched.copy()));
  domain = isl_set_gist_params(isl_set_coalesce(domain), kernel.context.copy());
  s.domain = isl::manage(isl_set_set_tuple_name(domain, name.c_str()));
  const isl::map cells = dimensionsOf(s.domain, copy.loops.size(), copy.cells),
                 values = dimensionsOf(s.domain, 0, copy.loops.size());
  const std::string &to = kernel.buffers[static_cast<std::size_t>(scratch)].name;
  s.accesses.push_back({scratch, true, place(copy, values, cells, to)});
  isl_map *read = isl_map_set_tuple_name(cells.copy(), isl_dim_out, matrix.name.c_str());
  s.accesses.push_back({copy.matrix, false, isl::manage(read)});
  s.write = 0;
  Expr value;
  value.kind = Expr::Kind::Read;
  value.type = matrix.element;
  value.index = 1;
  s.value = std::make_shared<const Expr>(value);
  return s;
}

/// Puts the copy in front of what is below its loop.
class WithCopy : public Rebuild {
public:
  WithCopy(const Copy &copy, const Statement &statement, const std::string &scratch,
           std::vector<std::string> labels)
      : copy_(copy), statement_(statement), scratch_(scratch), labels_(std::move(labels)) {}

protected:
  isl::union_pw_aff function(const isl::schedule_node &band) override {
    const isl::union_pw_aff f = member(band, 0);
    const auto at = std::find(copy_.loops.begin(), copy_.loops.end(), labelOf(band));
    if (at == copy_.loops.end())
      return f;
    return isl::manage(isl_union_pw_aff_union_add(
        f.copy(), dimension(static_cast<std::size_t>(at - copy_.loops.begin())).release()));
  }

  isl::union_set instances(const isl::schedule_node &filter) override {
    const isl::union_set own = isl::manage(isl_schedule_node_filter_get_filter(filter.get()));
    bool isAround = false;
    visit(filter, [&](const isl::schedule_node &node) {
      if (const auto loop = loopAt(node))
        isAround |= loop->label == copy_.loops.back();
    });
    return isAround ? own.unite(isl::union_set(statement_.domain)) : own;
  }

  isl::schedule_node at(const isl::schedule_node &old, const isl::schedule_node &leaf,
                        const Rest &rest) override {
    const isl::schedule_node above = isl::manage(isl_schedule_node_parent(old.copy()));
    if (!isBand(above) || labelOf(above) != copy_.loops.back())
      return rest(leaf);
    const isl::union_set copies(statement_.domain);
    const isl::union_set others = isl::manage(isl_schedule_node_get_domain(leaf.get())).subtract(copies);
    isl_union_set_list *filters = isl_union_set_list_from_union_set(copies.copy());
    filters = isl_union_set_list_add(filters, others.copy());
    isl_schedule_node *n = isl_schedule_node_insert_sequence(leaf.copy(), filters);
    n = isl_schedule_node_child(isl_schedule_node_child(n, 0), 0);
    isl::schedule_node filled = isl::manage(n);
    for (std::size_t k = 0; k < copy_.cells; ++k) // the innermost loop runs along contiguous scratch memory
      filled = insertLoop(filled, dimension(copy_.loops.size() + copy_.order[k]), labels_[k]);
    n = isl_schedule_node_child(isl_schedule_node_child(isl_schedule_node_ancestor(filled.release(), 2), 1),
                                0);
    const isl::schedule_node whole =
        isl::manage(isl_schedule_node_ancestor(rest(isl::manage(n)).release(), 2));
    return insertMark(whole, Declare{scratch_});
  }

private:
  static std::string labelOf(isl::schedule_node band) {
    while (isl_schedule_node_has_parent(band.get()) == isl_bool_true) {
      band = isl::manage(isl_schedule_node_parent(band.release()));
      if (const auto loop = loopAt(band))
        return loop->label;
      if (!markAt(band))
        break;
    }
    return "";
  }

  isl::union_pw_aff dimension(std::size_t d) const {
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(statement_.domain.get()));
    isl_aff *value = isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(d));
    return isl::manage(isl_union_pw_aff_from_aff(value));
  }

  const Copy &copy_;
  const Statement &statement_;
  const std::string &scratch_;
  const std::vector<std::string> labels_;
};

std::string freshName(const Kernel &kernel, const std::string &wanted) {
  std::string name = wanted;
  const auto isUsed = [&] {
    return statementIndex(kernel, name) >= 0 || std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                                            [&](const Buffer &b) { return b.name == name; });
  };
  for (int n = 2; isUsed(); ++n)
    name = wanted + std::to_string(n);
  return name;
}

Outcome applyStage(const Scheduled &kernel, const Arguments &arguments) {
  const std::string name = arguments.name("matrix"), label = arguments.name("at");
  Copy copy;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
    if (kernel.buffers[b].name == name)
      copy.matrix = static_cast<int>(b);
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(copy.matrix)];
  if (!isMatrix(matrix) || matrix.rank == 0)
    return {std::nullopt, fmt::format("{} is no matrix with cells", name)};
  copy.cells = static_cast<std::size_t>(matrix.rank);
  const LoopNode at = *findLoop(kernel.schedule.tree, label);
  bool isRead = false;
  for (const int index : statementsBelow(kernel, at))
    for (const Access &a : kernel.statements[static_cast<std::size_t>(index)].accesses) {
      isRead |= a.buffer == copy.matrix;
      if (a.buffer == copy.matrix && a.isWrite)
        return {std::nullopt, fmt::format("the loop over {} writes {}", label, name)};
    }
  if (!isRead)
    return {std::nullopt, fmt::format("the loop over {} does not read {}", label, name)};
  if (const std::string elsewhere = runsElsewhere(kernel, at); !elsewhere.empty())
    return {std::nullopt,
            fmt::format("{} runs outside of its loop over {}, too: its iterations are cut already", elsewhere,
                        label)};
  copy.loops = loopsAround(at);
  std::optional<Exposed> exposed = expose(kernel, copy.loops);
  if (!exposed)
    return {std::nullopt, "its body is a call of C++ code"};
  Scheduled &made = exposed->kernel;
  if (std::string why = findBox(copy, *exposed, made, name); !why.empty())
    return {std::nullopt, std::move(why)};
  for (std::size_t d = 0; d < copy.cells; ++d)
    copy.order.push_back(arguments.name("layout") == "transposed" ? copy.cells - 1 - d : d);
  Buffer scratch;
  scratch.name = freshName(made, name + "_pack");
  scratch.role = Buffer::Role::Scratch;
  scratch.element = matrix.element;
  scratch.rank = matrix.rank;
  long bytes = bytesOf(matrix.element);
  for (const std::size_t d : copy.order) {
    scratch.extents.push_back(copy.extents[d] +
                              (scratch.extents.empty() ? arguments.number("pad").value_or(0) : 0));
    bytes *= scratch.extents.back();
    if (bytes > kMostBytes)
      return {std::nullopt, fmt::format("its copy of {} would need more than {} bytes", name, kMostBytes)};
  }
  const int scratchIndex = static_cast<int>(made.buffers.size());
  made.buffers.push_back(scratch);
  const Statement statement = copyStatement(copy, made, freshName(made, name + "_copy"), scratchIndex);
  for (const auto &[index, dimensions] : exposed->dimensions) {
    Statement &s = made.statements[static_cast<std::size_t>(index)];
    for (Access &a : s.accesses)
      if (a.buffer == copy.matrix)
        a = {scratchIndex, false, place(copy, valuesOf(s, dimensions), unnamed(a.relation), scratch.name)};
  }
  std::vector<std::string> labels;
  for (const std::size_t d : copy.order)
    labels.push_back(freshLabel(made.schedule.tree, statement.dimensions[copy.loops.size() + d]));
  const isl::union_set domain = isl::manage(isl_schedule_get_domain(made.schedule.tree.get()));
  WithCopy adding(copy, statement, scratch.name, labels);
  made.schedule.tree = adding.run(made.schedule.tree, domain.unite(isl::union_set(statement.domain)));
  made.statements.push_back(statement);
  made.dependences = made.dependences.unite(dependences(made, {copy.matrix, scratchIndex})).coalesce();
  return withTree(made, made.schedule.tree);
}

} // namespace

Transformation stageTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "stage",
          .doc = "copies what a step of a loop reads of a matrix into contiguous scratch memory",
          .parameters = {{.name = "matrix", .kind = Kind::Buffer, .doc = "the matrix"},
                         {.name = "at",
                          .kind = Kind::Loop,
                          .doc = "the loop in each of whose steps it is copied"},
                         {.name = "layout",
                          .kind = Kind::Word,
                          .doc = "the order of the copy's dimensions",
                          .words = {"as_is", "transposed"},
                          .isOptional = true},
                         {.name = "pad",
                          .kind = Kind::Integer,
                          .doc = "cells that are added to each row of the copy",
                          .least = 0,
                          .most = 256,
                          .isOptional = true}},
          .apply = applyStage};
}

} // namespace pbc::kernel
