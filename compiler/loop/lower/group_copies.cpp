// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies into a group's memory, dealt out to its items.
//
//   fill A_group from A[first0 - 1, first1]
//   =>  barrier (in a loop, or behind another copy: others may still read what was there)
//       each item: line = its row of items, and so many rows further; at0 = its column, and so many columns further:
//         A_group[at0, line] = A[first0 - 1 + at0, first1 + line]
//       barrier
//
// Of memory with two buffers, the copy of a loop's next step is made while items read that of this one, which leaves one barrier:
//
//   for c0 = 0; c0 < k; step 16 { fill A_group from A[c0]; s += A_group[0] }
//   =>  if 0 < k { fill A_group, buffer 0 from A[0] }
//       for c0 = 0; c0 < k; step 16
//         turn_c0 = c0 / 16 % 2
//         barrier, which ends copies
//         if c0 + 16 < k { fill A_group, buffer 1 - turn_c0 from A[c0 + 16] }
//         s += A_group[0, turn_c0]
//
// Behind the barrier all items have read the buffer of the step before, which is filled next. With more buffers they can still read what was
// copied one or more steps before. Copies that do not begin the body of a loop use the first buffer only, as those of memory with one buffer do.
// How the cells of a copy are dealt out says fill.h.
#include "compiler/loop/lower/fill.h"
#include "compiler/loop/lower/pass.h"
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

NodePtr let(const std::string &name, Expr value) { return make({Let{{{name, std::move(value)}}}}); }

/// What the number of the loop's step is called in a memory with so many buffers, each of which comes again after so many steps.
std::string turnName(const std::string &iterator, int buffers) {
  return "turn_" + iterator + (buffers > 2 ? "_" + std::to_string(buffers) : "");
}

/// The buffer of so many steps after this one, or before it.
Expr bufferOf(const std::string &iterator, int buffers, const Expr &stepsAgo) {
  const Expr turn = index(turnName(iterator, buffers));
  const Expr back = subtract(add(turn, integer(buffers)), grouped(stepsAgo));
  return grouped(arithmetic(Op::Modulo, {grouped(back), integer(buffers)}));
}
Expr nextBuffer(const std::string &iterator, int buffers) {
  const Expr turn = index(turnName(iterator, buffers));
  if (buffers == 2)
    return grouped(subtract(integer(1), turn));
  return grouped(arithmetic(Op::Modulo, {grouped(add(turn, integer(1))), integer(buffers)}));
}

/// Lets what follows copies read their buffers of this step, or of the one before it that an index says.
class InTurns : public Mutator {
public:
  InTurns(const std::map<int, int> &buffers, std::string iterator)
      : buffers_(buffers), iterator_(std::move(iterator)) {}

  Expr expr(const Expr &e) override {
    Expr made = Mutator::expr(e);
    const Element *element = as<Element>(made);
    const auto memory = element ? buffers_.find(element->buffer) : buffers_.end();
    if (memory == buffers_.end())
      return made;
    const int buffers = memory->second;
    Element moved = *element;
    if (buffers > 2)
      moved.indices.back() = bufferOf(iterator_, buffers, element->indices.back());
    else
      moved.indices.push_back(index(turnName(iterator_, buffers)));
    return make({std::move(moved)});
  }

private:
  const std::map<int, int> &buffers_; // how many, by memory
  const std::string iterator_;
};

class Copies : public LoopPass {
public:
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    if (as<GroupCopy>(n))
      return together({n});
    if (const Block *b = as<Block>(n))
      return ofBlock(*b);
    if (const For *loop = as<For>(n))
      if (const NodePtr made = inTurns(*loop))
        return made;
    loops_ += as<For>(n) != nullptr;
    NodePtr made = Mutator::node(n);
    loops_ -= as<For>(n) != nullptr;
    return made;
  }

private:
  static void flatten(std::vector<NodePtr> &to, const Block &b) {
    for (const NodePtr &one : b.nodes) {
      const Block *inner = as<Block>(one);
      if (inner && !inner->isScope)
        flatten(to, *inner);
      else
        to.push_back(one);
    }
  }

  /// Copies one after the other share their barriers.
  NodePtr ofBlock(const Block &b) {
    std::vector<NodePtr> flat, made, copies;
    flatten(flat, b);
    const auto finish = [&] {
      if (!copies.empty())
        made.push_back(together(copies));
      copies.clear();
    };
    for (const NodePtr &one : flat) {
      if (as<GroupCopy>(one)) {
        copies.push_back(one);
        continue;
      }
      finish();
      made.push_back(node(one));
    }
    finish();
    return make({Block{std::move(made), b.isScope}});
  }

  /// The loop whose body begins with copies into memory with two buffers; null if it does not.
  NodePtr inTurns(const For &loop) {
    if (!loop.begin || !loop.condition || loop.how)
      return nullptr;
    std::vector<NodePtr> flat;
    flatten(flat, {{loop.body}, false});
    if (const Block *body = flat.size() == 1 ? as<Block>(flat.front()) : nullptr) {
      flat.clear();
      flatten(flat, {body->nodes, false});
    }
    const auto rest =
        std::find_if(flat.begin(), flat.end(), [](const NodePtr &n) { return !as<GroupCopy>(n); });
    std::map<int, int> memories; // and their buffers
    std::set<int> turns;         // all numbers of buffers
    for (auto one = flat.begin(); one != rest; ++one) {
      const int memory = as<GroupCopy>(*one)->to,
                buffers = lowering_.nest.buffers[static_cast<std::size_t>(memory)].buffers;
      if (buffers < 2)
        return nullptr;
      memories[memory] = buffers;
      turns.insert(buffers);
    }
    if (memories.empty())
      return nullptr;
    const Expr step = loop.step ? loop.step : integer(1);
    const Expr next = grouped(add(index(loop.iterator), step)), first = grouped(loop.begin);
    const auto fills = [&](const Expr &at, bool isNext) {
      const Replacements there{{loop.iterator, at}};
      std::vector<NodePtr> all;
      for (auto one = flat.begin(); one != rest; ++one) {
        const NodePtr copy = replaced(*one, there);
        const GroupCopy &made = *as<GroupCopy>(copy);
        const Expr buffer = isNext ? nextBuffer(loop.iterator, memories.at(made.to)) : integer(0);
        all.push_back(filled(made, lowering_.nest, buffer));
      }
      return make({If{replaced(loop.condition, there), scope(std::move(all)), nullptr}});
    };
    std::vector<NodePtr> all, body;
    all.push_back(waitForReaders());
    all.push_back(fills(first, false));
    const Expr steps = arithmetic(Op::Divide, {grouped(subtract(index(loop.iterator), first)), step});
    for (const int buffers : turns)
      body.push_back(
          let(turnName(loop.iterator, buffers), arithmetic(Op::Modulo, {grouped(steps), integer(buffers)})));
    body.push_back(make({Barrier{true}}));
    body.push_back(fills(next, true));
    ++loops_;
    InTurns reading(memories, loop.iterator);
    body.push_back(reading.node(node(block({rest, flat.end()}))));
    --loops_;
    For made = loop;
    made.body = block(std::move(body));
    all.push_back(make({std::move(made)}));
    return block(std::move(all));
  }

  /// A barrier, if other items may still read what an earlier copy has left.
  NodePtr waitForReaders() {
    return std::exchange(hasCopied_, true) || loops_ > 0 ? make({Barrier{}}) : block({});
  }

  NodePtr together(const std::vector<NodePtr> &copies) {
    std::vector<NodePtr> all;
    all.push_back(waitForReaders());
    for (const NodePtr &one : copies)
      all.push_back(filled(*as<GroupCopy>(one), lowering_.nest, nullptr));
    all.push_back(make({Barrier{true}}));
    return block(std::move(all));
  }

  int loops_ = 0;          // around
  bool hasCopied_ = false; // other items may still read what an earlier copy has left
};

} // namespace

Expr sizeOf(const Matrix &matrix, std::size_t dimension) {
  return ofMachine(matrix.name + "_n" + std::to_string(dimension));
}

Expr hasCells(const Matrix &matrix) {
  Expr all;
  for (std::size_t d = 0; d < static_cast<std::size_t>(matrix.rank); ++d) {
    const Expr one = less(integer(0), sizeOf(matrix, d));
    all = all ? arithmetic(Op::And, {all, one}) : one;
  }
  return all;
}

NodePtr lowerGroupCopies(const NodePtr &n, Lowering &lowering) { return Copies(lowering).node(n); }

} // namespace pbc::loop
