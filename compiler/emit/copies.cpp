// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits calls of a template, `Name<k>(out, in)`: which of its copies runs is decided when the call is made.
#include "compiler/emit/parts.h"
#include <algorithm>

namespace pbc::emit {

namespace {

struct Argument {
  std::string name;
  long low, high;
};

std::vector<Argument> argumentsOf(const std::vector<const sema::Transform *> &family) {
  std::vector<Argument> out;
  for (std::size_t i = 0; i < family.front()->constants.size(); ++i) {
    const auto &first = family.front()->constants[i];
    out.push_back({first.name, first.value, first.value});
    for (const auto *t : family)
      out.back().high = std::max(out.back().high, t->constants[i].value);
  }
  return out;
}

/// One of the two entries, pb_seq_ or pb_par_, for all copies.
std::string dispatcher(const std::vector<const sema::Transform *> &family, bool parallel) {
  const sema::Transform &t = *family.front();
  const auto arguments = argumentsOf(family);
  const std::string depth = "int pb_depth";
  std::string parameters = depth, checks, number = "0", passed = "pb_depth";
  for (const Argument &a : arguments) {
    parameters += fmt::format(", long pb_t_{}", a.name);
    checks += fmt::format("  if (pb_t_{0} < {1} || pb_t_{0} > {2}) {{\n    pb::Message pb_m;\n"
                          "    pb::pb_explain(&pb_m, {3}, pb_t_{0});\n    pb::pb_fail(pb_m.text);\n  }}\n",
                          a.name, a.low, a.high,
                          quoted(fmt::format("{} was called with {} = %ld; it has copies for {} to {}",
                                             t.family, a.name, a.low, a.high)));
    number = fmt::format("({} * {} + pb_t_{} - {})", number, a.high - a.low + 1, a.name, a.low);
  }
  for (const int k : callingOrder(t))
    passed += ", pb_a_" + t.matrices[k].name;
  if (parallel)
    passed += ", pb_params, pb_stays";
  const std::string prefix = parallel ? "pb_par_" : "pb_seq_";
  std::string out =
      fmt::format("PB_SMALL inline {} {}{}({}{}{}) {{\n{}  switch ({}) {{\n", parallel ? "pb::Job" : "void",
                  prefix, t.family, parameters, parameterList(t, parallel).substr(depth.size()),
                  parallel ? ", const long *pb_params = nullptr, bool pb_stays = false" : "", checks, number);
  for (std::size_t k = 0; k < family.size(); ++k)
    out += fmt::format("  case {}: return {}{}({});\n", k, prefix, family[k]->symbol, passed);
  return out + "  }\n  __builtin_unreachable();\n}\n";
}

} // namespace

std::string copyDispatch(const std::vector<const sema::Transform *> &family) {
  if (family.empty() || family.front()->constants.empty())
    return "";
  return dispatcher(family, false) + dispatcher(family, true);
}

} // namespace pbc::emit
