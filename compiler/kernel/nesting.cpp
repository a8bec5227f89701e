// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/nesting.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/schedule_node.h>

namespace pbc::kernel {
namespace {

constexpr const char *kStatements = "statements";

/// What is at and below a node; without loops, it has no text.
struct LoopWords {
  std::string text;
  bool isOne = true; // one loop with what is in it, so that no parentheses are needed around it
};

LoopWords loopWordsAt(const isl::schedule_node &node);

isl::schedule_node childOfNest(const isl::schedule_node &node, int k) {
  return isl::manage(isl_schedule_node_get_child(node.get(), k));
}

LoopWords loopWordsOfParts(const isl::schedule_node &node, int parts) {
  std::vector<std::string> all;
  bool hasLoops = false;
  for (int k = 0; k < parts; ++k) {
    const LoopWords part = loopWordsAt(childOfNest(node, k));
    hasLoops |= !part.text.empty();
    const std::string text = part.text.empty() ? kStatements : part.text;
    if (!part.text.empty() || all.empty() || all.back() != kStatements) // statements after statements
      all.push_back(text);
  }
  if (!hasLoops)
    return {};
  return {fmt::format("{}", fmt::join(all, ", then ")), false};
}

LoopWords loopWordsAt(const isl::schedule_node &node) {
  if (const std::optional<LoopNode> loop = loopAt(node)) {
    const LoopWords inner = loopWordsAt(childOfNest(loop->band, 0));
    if (inner.text.empty())
      return {fmt::format("`{}`", loop->label)};
    return {inner.isOne ? fmt::format("`{}` around {}", loop->label, inner.text)
                        : fmt::format("`{}` around ({})", loop->label, inner.text)};
  }
  const int parts = static_cast<int>(isl_schedule_node_n_children(node.get()));
  return parts == 0   ? LoopWords{}
         : parts == 1 ? loopWordsAt(childOfNest(node, 0))
                      : loopWordsOfParts(node, parts);
}

} // namespace

std::string nesting(const isl::schedule &schedule) {
  return loopWordsAt(isl::manage(isl_schedule_get_root(schedule.get()))).text;
}

} // namespace pbc::kernel
