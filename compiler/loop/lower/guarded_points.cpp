// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What points of a block compute of a group's memory is computed in front of their conditions, which decide whether it is kept. So an item
// reads neighbouring cells together, as it does where no point has a condition. The memory has a cell at each place of the group.
//
//   for r0 < PB_C0 { place0 = ..; if item0 <= k { s[r0] += A_group[place0, k - c0] } }          for c0 <= k < c0 + 16
//   =>  for r0 < PB_C0 { place0 = ..; let double pb__next = s[r0] + A_group[place0, k - c0]; if item0 <= k { s[r0] = pb__next } }
//
// Without that, each read is an instruction of its own, and the runs of neighbouring items (points.cpp) need their banks twice. Reads alone
// in front of the condition would not do: compilers move what is used once to where it is used.
// Invariant: all indices are in the memory whether the condition holds or not.
#include "compiler/loop/lower/anywhere.h"
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

class GuardedPoints : public LoopPass {
public:
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    if (const For *loop = as<For>(n))
      known_.declare(*loop);
    if (const Let *let = as<Let>(n))
      known_.declare(*let);
    if (const If *guard = as<If>(n))
      if (NodePtr made = withValueInFront(*guard))
        return made;
    return Mutator::node(n);
  }

private:
  /// A condition of a single assignment to a scalar; null if that cannot be computed in front of it.
  NodePtr withValueInFront(const If &guard) const {
    const Assign *one = guard.otherwise ? nullptr : onlyAssign(guard.then);
    const Local *target = one ? as<Local>(one->target) : nullptr;
    if (!target || !isFloating(target->type))
      return nullptr;
    AnywhereCheck check(lowering_.nest, known_, AnywhereCheck::Others::None);
    check.expr(one->value);
    if (!check.isAnywhere || !check.readsMemory)
      return nullptr;
    const Expr value =
        one->op ? make({Operation{*one->op, target->type, {one->target, one->value}}}) : one->value;
    Assign kept = *one;
    kept.op.reset();
    kept.value = index(kNext);
    return scope({make({Let{{{kNext, value}}, target->type}}),
                  make({If{guard.condition, make({std::move(kept)}), nullptr}})});
  }

  static bool isFloating(Scalar type) { return type == Scalar::F32 || type == Scalar::F64; }

  static const Assign *onlyAssign(const NodePtr &n) {
    if (const Block *b = as<Block>(n))
      return b->nodes.size() == 1 ? onlyAssign(b->nodes.front()) : nullptr;
    return as<Assign>(n);
  }

  static constexpr const char *kNext = "pb__next";
  KnownSums known_;
};

} // namespace

NodePtr lowerGuardedPoints(const NodePtr &n, Lowering &lowering) { return GuardedPoints(lowering).node(n); }

} // namespace pbc::loop
