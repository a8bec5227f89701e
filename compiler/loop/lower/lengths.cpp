// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops of constant length count from 0, so that a compiler of the printed text knows how long they are: the difference of two
// bounds may overflow, for all that it knows. Then it keeps arrays that such loops fill in registers.
//
//   for c4 = c2; c4 <= c2 + 5 { s[c4 - c2] += .. }   =>   for c4_n = 0; c4_n < 6 { c4 = c2 + c4_n; s[c4 - c2] += .. }
#include "compiler/loop/lower/pass.h"
#include <map>

namespace pbc::loop {
namespace {

/// A sum of multiples of names, and a number.
struct Sum {
  std::map<std::string, long> factors;
  long constant = 0;

  void add(const Sum &other, long factor) {
    for (const auto &[name, own] : other.factors)
      if (!(factors[name] += factor * own))
        factors.erase(name);
    constant += factor * other.constant;
  }
};

std::optional<Sum> sumOf(const Expr &e) {
  if (const Integer *number = as<Integer>(e))
    return Sum{{}, number->value};
  if (const Name *name = as<Name>(e))
    return Sum{{{name->name, 1}}, 0};
  if (const Grouped *inner = as<Grouped>(e))
    return sumOf(inner->operand);
  const Arithmetic *operation = as<Arithmetic>(e);
  if (!operation)
    return std::nullopt;
  std::vector<Sum> operands;
  for (const Expr &operand : operation->operands) {
    std::optional<Sum> sum = sumOf(operand);
    if (!sum)
      return std::nullopt;
    operands.push_back(std::move(*sum));
  }
  using Op = Arithmetic::Op;
  Sum all;
  switch (operation->op) {
  case Op::Add:
  case Op::Further:
  case Op::Subtract:
    all = operands[0];
    all.add(operands[1], operation->op == Op::Subtract ? -1 : 1);
    return all;
  case Op::Negate:
    all.add(operands[0], -1);
    return all;
  case Op::Multiply:
    if (!operands[0].factors.empty() && !operands[1].factors.empty())
      return std::nullopt;
    if (operands[0].factors.empty())
      all.add(operands[1], operands[0].constant);
    else
      all.add(operands[0], operands[1].constant);
    return all;
  default:
    return std::nullopt;
  }
}

/// The number of iterations of a counting loop, if it is constant.
std::optional<long> lengthOf(const For &loop) {
  std::optional<Sum> length = sumOf(endOf(loop));
  const std::optional<Sum> begin = sumOf(loop.begin);
  if (!length || !begin)
    return std::nullopt;
  length->add(*begin, -1);
  return length->factors.empty() ? std::optional(length->constant) : std::nullopt;
}

struct Lengths : LoopPass {
  using LoopPass::LoopPass;
  NodePtr node(const NodePtr &n) override {
    NodePtr below = Mutator::node(n);
    const For *loop = as<For>(below);
    if (!loop || !loop->begin || as<Integer>(loop->begin) || !isCounting(*loop))
      return below;
    const std::optional<long> length = lengthOf(*loop);
    if (!length)
      return below;
    For counting = *loop;
    counting.iterator += "_n";
    counting.begin = integer(0);
    counting.condition = less(index(counting.iterator), integer(*length));
    Let own{{{loop->iterator, add(loop->begin, index(counting.iterator))}}};
    own.mayBeUnused = true;
    std::vector<NodePtr> body{make({std::move(own)})};
    for (const NodePtr &inside : sequence(loop->body))
      body.push_back(inside);
    counting.body = block(std::move(body));
    return make({std::move(counting)});
  }
};

} // namespace

NodePtr lowerLengths(const NodePtr &n, Lowering &lowering) { return Lengths(lowering).node(n); }

} // namespace pbc::loop
