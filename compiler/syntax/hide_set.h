// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The macros that must not expand a token again: Prosser's "hide set", as a set of macro numbers.
//
//   HideSet a = HideSet().with(1).with(2), b = a.with(30000);
//   b.has(2)            => true
//   a & b               => {1, 2}, without a visit to shared nodes
//
// Invariant: a set never changes. The result of with() shares all but a few nodes with the old set, so a chain of n
// macros, each defined by the one before it, takes n steps and not n * n. The set is a trie of the numbers' digits, as
// in Okasaki and Gill, "Fast mergeable integer maps" (1998).
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

namespace pbc::syntax {

class HideSet {
public:
  struct Node;

  HideSet() = default;
  bool has(std::uint32_t number) const;
  HideSet with(std::uint32_t number) const;
  friend HideSet operator|(const HideSet &a, const HideSet &b);
  friend HideSet operator&(const HideSet &a, const HideSet &b);

private:
  using Pointer = std::shared_ptr<const Node>;
  explicit HideSet(Pointer root) : root_(std::move(root)) {}

  Pointer root_; // null: empty
};

} // namespace pbc::syntax
