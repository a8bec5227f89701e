// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stores past the caches: blocks of rows are computed in an array, and stored together. Several rows take turns, so that
// what they read in common is still in the first cache.
//
//   for c0 for c1 [vector streaming if large:8] B[c1, c0] = f(c0, c1)
//   =>  if streams B and the rows are long
//         for c0_s = ..; c0_s < c0_e; c0_s += 8
//           for c1_b = ..; c1_b < c1_e + 32; c1_b += 32
//             for c0 = c0_s; c0 < min(c0_s + 8, c0_e); ++c0 {
//               c1_f = c1_b - cells_into_block(B[c1_b, c0])
//               if the block is whole { for c1 [32 from c1_f] B_block[c1 - c1_f] = f(c0, c1); B[c1_f, c0] = B_block }
//               else for c1 [those of the block] B[c1, c0] = f(c0, c1) }
//       else for c0 for c1 [vector] B[c1, c0] = f(c0, c1)
//
// A block begins at a multiple of its bytes, wherever the row begins. The first block of a row and the last one are parts of blocks.
#include "compiler/kernel/footprint.h"
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// Four lines of the cache: enough work for each turn, and so few numbers that registers hold them.
constexpr long kBytesOfBlock = 256;
/// Rows of fewer blocks, as tiles have them, would have hardly a whole one.
constexpr long kBlocksOfRow = 2;

/// The only store of the body, if it goes to a cell of a matrix.
class Stores : public Visitor {
public:
  explicit Stores(const Nest &nest) : nest_(nest) {}
  void node(const NodePtr &n) override {
    if (const Assign *one = as<Assign>(n))
      if (const Element *cell = as<Element>(one->target)) {
        ++count_;
        if (!one->op && nest_.buffers[static_cast<std::size_t>(cell->buffer)].ofGroup.empty())
          found_ = one->target;
      }
    Visitor::node(n);
  }
  Expr only() const { return count_ == 1 ? found_ : nullptr; }

private:
  const Nest &nest_;
  int count_ = 0;
  Expr found_;
};

/// Stores into an array what the body stores into a matrix.
class IntoArray : public Mutator {
public:
  explicit IntoArray(Expr place) : place_(std::move(place)) {}
  NodePtr node(const NodePtr &n) override {
    const Assign *one = as<Assign>(n);
    if (!one || !as<Element>(one->target))
      return Mutator::node(n);
    Assign changed = *one;
    changed.target = place_;
    return make({std::move(changed)});
  }
  Expr expr(const Expr &e) override { return e; }

private:
  const Expr place_;
};

class Stream : public LoopPass {
public:
  using LoopPass::LoopPass;

  NodePtr node(const NodePtr &n) override {
    const For *loop = as<For>(n);
    const For *inner = loop ? as<For>(loop->body) : nullptr;
    if (inner && streaming(inner).rows > 1 && isCounting(*loop) && isCounting(*inner) &&
        !mentions(inner->begin, loop->iterator) && !mentions(endOf(*inner), loop->iterator))
      return both(n, loop, *inner);
    if (streaming(loop).rows > 0)
      return isCounting(*loop) ? both(n, nullptr, *loop) : plainStores(n);
    return Mutator::node(n);
  }

private:
  static kernel::as::Vector::Streaming streaming(const For *loop) {
    const auto *how = realisedAs<kernel::as::Vector>(loop);
    return how ? how->streaming : kernel::as::Vector::Streaming{};
  }

  /// The same loops, without stores past the caches.
  static NodePtr plainStores(const NodePtr &n) {
    For changed = *as<For>(n);
    if (auto *how = changed.how ? std::get_if<kernel::as::Vector>(&*changed.how) : nullptr;
        how && how->streaming.rows)
      how->streaming = {};
    else
      changed.body = plainStores(changed.body);
    return make({std::move(changed)});
  }

  NodePtr both(const NodePtr &n, const For *rows, const For &cells) const {
    Stores stores(lowering_.nest);
    stores.node(cells.body);
    const Target &target = lowering_.target;
    if (!target.streams || !target.unitStride || target.isDevice || !stores.only() ||
        lowering_.nest.isTiledInTime)
      return plainStores(n);
    const Element &cell = *as<Element>(stores.only());
    const NodePtr streamed = rows ? strips(*rows, cells, stores.only())
                                  : make({turns(cells, block(cells, stores.only()), stores.only())});
    const Expr isLong = arithmetic(
        Op::LessEqual, {add(cells.begin, integer(kBlocksOfRow * cellsOfBlock(stores.only()))), endOf(cells)});
    const Expr isWorthIt =
        arithmetic(Op::And, {make({IsStreamed{cell.buffer, streaming(&cells).always}}), isLong});
    return make({If{isWorthIt, streamed, plainStores(n)}});
  }

  const Matrix &matrix(const Expr &cell) const {
    return lowering_.nest.buffers[static_cast<std::size_t>(as<Element>(cell)->buffer)];
  }
  long cellsOfBlock(const Expr &cell) const {
    return kBytesOfBlock / static_cast<long>(kernel::bytesOf(matrix(cell).element));
  }

  /// Rows in turns.
  NodePtr strips(const For &rows, const For &cells, const Expr &store) const {
    const std::string strip = rows.iterator + "_s", past = rows.iterator + "_p";
    const Expr step = integer(streaming(&cells).rows), end = endOf(rows);
    const For row{rows.iterator, index(strip), less(index(rows.iterator), index(past)), nullptr,
                  block(cells, store)};
    const For turn = turns(cells, make({row}), store);
    const NodePtr body =
        pbc::loop::block({make({Let{{{past, minimum(add(index(strip), step), end)}}}}), make({turn})});
    return make({For{strip, rows.begin, less(index(strip), end), step, body}});
  }

  static std::string turnOf(const For &cells) { return cells.iterator + "_b"; }

  For turns(const For &cells, NodePtr body, const Expr &store) const {
    const Expr count = integer(cellsOfBlock(store)), at = index(turnOf(cells));
    return {turnOf(cells), cells.begin, less(at, add(endOf(cells), count)), count, std::move(body)};
  }

  /// The block in which the cell of this turn lies.
  NodePtr block(const For &cells, const Expr &store) const {
    const std::string first = cells.iterator + "_f", array = matrix(store).name + "_block";
    const Expr count = integer(cellsOfBlock(store)), at = index(turnOf(cells)), begin = index(first),
               past = add(begin, count), c = index(cells.iterator);
    const auto cellAt = [&](const Expr &place) { return replaced(store, {{cells.iterator, place}}); };
    const Scalar element = matrix(store).element;
    const NodePtr into = IntoArray(make({Local{array, element, {subtract(c, begin)}}})).node(cells.body);
    Assign together{cellAt(begin), {}, make({Local{array, element, {}}})};
    together.together = cellsOfBlock(store);
    together.isStreamed = true;
    const For whole{cells.iterator, begin, less(c, past),
                    nullptr,        into,  kernel::as::Vector{0, cellsOfBlock(store)}};
    const For part{cells.iterator, maximum(begin, cells.begin), less(c, minimum(past, endOf(cells))), nullptr,
                   cells.body,     kernel::as::Rolled{}};
    const Expr isWhole = arithmetic(Op::And, {arithmetic(Op::LessEqual, {cells.begin, begin}),
                                              arithmetic(Op::LessEqual, {past, endOf(cells)})});
    return pbc::loop::block(
        {make({Let{{{first, subtract(at, make({CellsIntoBlock{cellAt(at), cellsOfBlock(store)}}))}}}}),
         make({If{isWhole,
                  pbc::loop::block({make({Array{array, element, {count}}}), make({whole}), make({together})}),
                  make({part})}})});
  }
};

} // namespace

NodePtr lowerStream(const NodePtr &n, Lowering &lowering) { return Stream(lowering).node(n); }

} // namespace pbc::loop
