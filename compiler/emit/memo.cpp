// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits the entries of a `memoized` transform: each asks the runtime whether the last call was the same one,
// and only if it was not runs the transform again (pb_seq_NAME$anew).
#include "compiler/emit/parts.h"
#include <algorithm>

namespace pbc::emit {

namespace {

/// An argument as its shape without type.
std::string shape(const sema::Matrix &m) {
  if (m.rank() == 0)
    return fmt::format("{{&pb_a_{}, nullptr, nullptr, 0, {}}}", m.name, sema::bytes(m.element));
  return fmt::format("pb::shapeOf(pb_a_{})", m.name);
}

std::string array(const char *name, const std::string &elements) {
  return fmt::format("  const pb::RegionShape {}[] = {{{}}};\n", name, elements.empty() ? "{}" : elements);
}

} // namespace

std::string plainSymbol(const sema::Transform &t) { return t.symbol + (t.isMemoized ? "$anew" : ""); }

std::string memoEntries(const Scope &scope) {
  const sema::Transform &t = scope.transform;
  // If a body reads its outputs, their old contents are inputs, too.
  const bool readsOutputs =
      std::any_of(scope.facts().begin(), scope.facts().end(), [](const auto &f) { return f.readsOutputs; });
  std::string inputs, outputs, arguments = "pb_depth";
  int inputCount = 0, outputCount = 0;
  if (t.hasBins()) { // each accuracy bin computes its own
    arguments += ", pb_bin";
    inputs = "{&pb_bin, nullptr, nullptr, 0, sizeof pb_bin}";
    inputCount = 1;
  }
  for (const int k : callingOrder(t)) {
    const sema::Matrix &m = t.matrices[k];
    const bool isOutput = m.role == sema::Role::Output;
    arguments += ", pb_a_" + m.name;
    if (isOutput)
      outputs += (outputCount++ ? ", " : "") + shape(m);
    if (!isOutput || readsOutputs || m.before)
      inputs += (inputCount++ ? ", " : "") + shape(m);
  }
  const std::string ask = array("pb_inputs", inputs) + array("pb_outputs", outputs) +
                          fmt::format("  pb::MemoCall pb_call(&pb_memo[0], pb_inputs, {}, pb_outputs, {});\n",
                                      inputCount, outputCount);
  return fmt::format(
      "{6}\nvoid pb_seq_{0}({2}) {{\n{5}  if (pb_call.isKnown()) return;\n"
      "  pb_seq_{1}({4});\n  pb_call.remember();\n}}\n\n"
      "PB_SMALL pb::Job pb_par_{0}({3}, const long *pb_params, bool) {{\n{5}"
      "  if (pb_call.isKnown()) co_return;\n"
      "  co_await pb_par_{1}({4}, pb_params, false);\n  pb_call.remember();\n  co_return;\n}}\n\n",
      t.symbol, plainSymbol(t), parameterList(t, false), parameterList(t, true), arguments, ask,
      slot(scope, "pb::Memo", "pb_memo", 1));
}

} // namespace pbc::emit
