// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/sizes.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/set.h>
#include <set>

namespace pbc::choice {

namespace {

/// { [n, m] : n + m = A_0 and ... }: the system, with extents, params and tunables that are the same for all
/// sizes as parameters.
struct System {
  std::vector<std::string> unknowns;   // mangled
  std::vector<std::string> parameters; // mangled
  std::string conditions;
};

System systemOf(const sema::Transform &t, const std::vector<int> &matrices, bool paramsGiven) {
  System s;
  for (const auto &name : t.sizeVariables) {
    const bool isParam = std::find(t.params.begin(), t.params.end(), name) != t.params.end();
    (isParam && paramsGiven ? s.parameters : s.unknowns).push_back(poly::mangle(name));
  }
  std::vector<std::string> bySize;
  for (const auto &k : t.tunables)
    if (k.isParameter())
      (k.bySize ? bySize : s.parameters).push_back(poly::mangle(k.name));
  std::vector<std::string> conditions;
  for (const int m : matrices)
    for (int d = 0; d < t.matrices[m].rank(); ++d) {
      s.parameters.push_back(extentName(t.matrices[m], d));
      conditions.push_back(fmt::format("{} = {}", t.matrices[m].extents[d].isl, s.parameters.back()));
    }
  s.conditions = conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " and "));
  for (const auto &p : t.products)
    bySize.push_back(p.name);
  // Their values follow from the transform's sizes, so sizes cannot follow from them.
  if (!bySize.empty())
    s.conditions = fmt::format("exists {} : {}", fmt::join(bySize, ", "), s.conditions);
  return s;
}

/// { [n, m] : ... }
isl::set solutionsOf(const System &s, const poly::Context &context) {
  return context.set(fmt::format("{}{{ [{}] : {} }}", poly::parameterPrefix(s.parameters),
                                 fmt::join(s.unknowns, ", "), s.conditions));
}

/// For each unknown: whether equal extents leave only a bounded number of values.
std::vector<bool> boundedChoice(const isl::set &solutions, std::size_t unknowns) {
  isl_set *differences = isl_map_deltas(isl_map_from_domain_and_range(solutions.copy(), solutions.copy()));
  differences = isl_set_project_out(differences, isl_dim_param, 0, isl_set_dim(differences, isl_dim_param));
  std::vector<bool> bounded;
  for (unsigned i = 0; i < unknowns; ++i) {
    isl_set *one = isl_set_project_out(isl_set_copy(differences), isl_dim_set, i + 1,
                                       static_cast<unsigned>(unknowns) - i - 1);
    one = isl_set_project_out(one, isl_dim_set, 0, i);
    bounded.push_back(isl_set_is_bounded(one) == isl_bool_true);
    isl_set_free(one);
  }
  isl_set_free(differences);
  return bounded;
}

} // namespace

std::string extentName(const sema::Matrix &m, int d) {
  return fmt::format("pb_{}_{}", poly::plain(m.name), d);
}

SizeSolution solveSizes(const sema::Transform &t, const std::vector<int> &matrices, bool paramsGiven,
                        const poly::Context &context) {
  const System system = systemOf(t, matrices, paramsGiven);
  isl::set solutions = solutionsOf(system, context);
  const auto bounded = boundedChoice(solutions, system.unknowns.size());
  isl_set *kept = solutions.copy();
  for (std::size_t i = bounded.size(); i-- > 0;)
    if (!bounded[i])
      kept = isl_set_project_out(kept, isl_dim_set, static_cast<unsigned>(i), 1);
  isl_pw_multi_aff *smallest = isl_set_lexmin_pw_multi_aff(kept);

  SizeSolution result;
  unsigned position = 0;
  std::size_t unknown = 0;
  for (const auto &name : t.sizeVariables) {
    const bool isGiven = paramsGiven && std::find(t.params.begin(), t.params.end(), name) != t.params.end();
    if (isGiven) {
      result.cxx.push_back(poly::mangle(name));
      result.known.push_back(true);
      continue;
    }
    const bool known = bounded[unknown++];
    result.known.push_back(known);
    if (!known) {
      result.cxx.emplace_back();
      continue;
    }
    const isl::pw_aff value =
        isl::manage(isl_pw_multi_aff_get_pw_aff(smallest, static_cast<int>(position++)));
    result.cxx.push_back(poly::cxx(value.gist(value.domain())));
  }
  isl_pw_multi_aff_free(smallest);
  return result;
}

void checkSizes(const sema::Module &module, const std::vector<std::vector<body::Facts>> &facts,
                const poly::Context &context, source::Diagnostics &diagnostics) {
  std::set<std::string> called;
  for (const auto &ofTransform : facts)
    for (const auto &f : ofTransform)
      called.insert(f.callees.begin(), f.callees.end());
  for (const auto &t : module.transforms) {
    std::vector<int> fromCall, fromRun;
    for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m) {
      if (t.matrices[m].role == sema::Role::Through)
        continue;
      fromCall.push_back(m);
      if (t.matrices[m].role == sema::Role::Input)
        fromRun.push_back(m);
    }
    // A run with --transform gives params on the command line; a call cannot.
    const bool isMain = t.index == module.mainTransform || (!t.params.empty() && called.count(t.name) == 0);
    auto solution = isMain ? solveSizes(t, fromRun, true, context) : solveSizes(t, fromCall, false, context);
    if (isMain) { // --size gives the sizes that inputs do not determine; calls read them from the outputs made so
      const auto fromOutputs = solveSizes(t, fromCall, true, context);
      for (std::size_t i = 0; i < t.sizeVariables.size(); ++i)
        solution.known[i] = solution.known[i] || fromOutputs.known[i];
    }
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < t.sizeVariables.size(); ++i)
      if (!solution.known[i])
        missing.push_back("`" + t.sizeVariables[i] + "`");
    if (missing.empty())
      continue;
    diagnostics
        .error(t.span,
               fmt::format("the size{} {} of `{}` cannot be inferred from {}", missing.size() == 1 ? "" : "s",
                           fmt::join(missing, " and "), t.name, "its inputs and outputs"))
        .help(
            isMain
                ? "let the size of an input or output determine it, or declare it with `param` so that it is "
                  "given on the command line"
                : "let the size of an input or output determine it");
  }
}

} // namespace pbc::choice
