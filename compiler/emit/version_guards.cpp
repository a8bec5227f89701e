// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/version_guards.h"
#include <algorithm>

namespace pbc::emit {
namespace {

int matrixOf(const sema::Transform &t, const script::Condition &condition) {
  const auto at = std::find_if(t.matrices.begin(), t.matrices.end(),
                               [&](const sema::Matrix &m) { return m.name == condition.matrix; });
  return static_cast<int>(at - t.matrices.begin());
}

/// The condition as an expression of C++ over the matrix.
std::string expressionOf(const sema::Matrix &m, const script::Condition &condition) {
  if (condition.kind == script::Condition::Kind::Predicate)
    return "static_cast<bool>(" + condition.predicate + ")";
  using Half = sema::Structure::Half;
  const sema::Structure &s = *m.structure;
  const int half = s.stored == Half::All ? 0 : s.stored == Half::Lower ? -1 : 1;
  const std::string band = s.band ? fmt::format(", {}, {}", s.band->first.cxx, s.band->second.cxx) : "";
  return fmt::format("pb::isBlankZero({}, {}{})", m.name, half, band);
}

} // namespace

std::vector<script::Condition> guardsOf(const Scope &scope) {
  std::vector<script::Condition> all;
  const auto &plans = scope.input.plans[scope.transform.index].plans;
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (std::size_t s = 0; s < plans[p].steps.size(); ++s)
      for (const Version &version : scope.input.versionsOf(scope.transform.index, p, s))
        for (const script::Condition &guard : version.guards)
          if (std::find(all.begin(), all.end(), guard) == all.end())
            all.push_back(guard);
  return all;
}

std::vector<int> matricesOf(const sema::Transform &t, const std::vector<script::Condition> &conditions) {
  std::vector<int> all;
  for (const script::Condition &condition : conditions)
    if (const int m = matrixOf(t, condition); std::find(all.begin(), all.end(), m) == all.end())
      all.push_back(m);
  return all;
}

std::string guardFunction(const Scope &scope, const std::string &name,
                          const std::vector<script::Condition> &conditions,
                          const std::vector<script::Condition> &all) {
  std::string found;
  for (const script::Condition &condition : conditions) {
    const sema::Matrix &m =
        scope.transform.matrices[static_cast<std::size_t>(matrixOf(scope.transform, condition))];
    const auto number = std::find(all.begin(), all.end(), condition) - all.begin();
    found += fmt::format(
        "{}pb::onceACall(pb_f.guards[{}], [&] {{\n    const auto &{} = pb_f.m_{};\n    return {};\n  }})",
        found.empty() ? "" : " && ", number, m.name, poly::mangle(m.name), expressionOf(m, condition));
  }
  return fmt::format(
      "PB_SMALL static bool {0}(const pb::Frame *pb_p) {{\n  const {1} &pb_f = *static_cast<const {1} "
      "*>(pb_p);\n  {2}\n  return {3};\n}}\n\n",
      name, scope.frame(), parameterDefinitions(scope), found);
}

} // namespace pbc::emit
