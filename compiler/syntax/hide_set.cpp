// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/hide_set.h"

#include <array>

namespace pbc::syntax {

/// A node for one digit of four bits. At the last digit, `members` says which numbers the set has; at earlier
/// digits, `below` has the node for each value of the digit.
struct HideSet::Node {
  std::uint16_t members = 0;
  std::array<std::shared_ptr<const Node>, 16> below;
};

namespace {

using Node = HideSet::Node;
using Pointer = std::shared_ptr<const Node>;

constexpr int kTopShift = 28; // a number has eight digits

std::uint32_t digit(std::uint32_t number, int shift) { return number >> shift & 15U; }

Pointer insert(const Pointer &node, std::uint32_t number, int shift) {
  auto changed = node ? std::make_shared<Node>(*node) : std::make_shared<Node>();
  const std::uint32_t at = digit(number, shift);
  if (shift == 0)
    changed->members = static_cast<std::uint16_t>(changed->members | 1U << at);
  else
    changed->below[at] = insert(changed->below[at], number, shift - 4);
  return changed;
}

Pointer unite(const Pointer &a, const Pointer &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto both = std::make_shared<Node>();
  both->members = static_cast<std::uint16_t>(a->members | b->members);
  for (std::size_t k = 0; k < both->below.size(); ++k)
    both->below[k] = unite(a->below[k], b->below[k]);
  return both;
}

Pointer intersect(const Pointer &a, const Pointer &b) {
  if (a == b || !a || !b)
    return a && b ? a : nullptr;
  auto both = std::make_shared<Node>();
  both->members = static_cast<std::uint16_t>(a->members & b->members);
  for (std::size_t k = 0; k < both->below.size(); ++k)
    both->below[k] = intersect(a->below[k], b->below[k]);
  return both;
}

} // namespace

bool HideSet::has(std::uint32_t number) const {
  const Node *node = root_.get();
  for (int shift = kTopShift; node && shift > 0; shift -= 4)
    node = node->below[digit(number, shift)].get();
  return node && (node->members >> digit(number, 0) & 1U) != 0;
}

HideSet HideSet::with(std::uint32_t number) const { return HideSet(insert(root_, number, kTopShift)); }

HideSet operator|(const HideSet &a, const HideSet &b) { return HideSet(unite(a.root_, b.root_)); }
HideSet operator&(const HideSet &a, const HideSet &b) { return HideSet(intersect(a.root_, b.root_)); }

} // namespace pbc::syntax
