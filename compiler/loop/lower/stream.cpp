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
//               if there is a row c0 + 8, and rows are not too long: prefetch what it reads first, in these columns
//               if the block is whole { for c1 [32 from c1_f] B_block[c1 - c1_f] = f(c0, c1); B[c1_f, c0] = B_block }
//               else for c1_l in the 4 lines of the block
//                 if the line is whole { the same with 8 cells }
//                 else for c1 [those of the line] B[c1, c0] = f(c0, c1) }
//       else for c0 for c1 [vector] B[c1, c0] = f(c0, c1)
//
// With `staggered`, the turns go on until c1_t < c1_e + 8 * 32, and c1_b = c1_t - 32 * (c0 - c0_s).
//
// A block begins at a multiple of its bytes, wherever the row begins. The first block of a row and the last one are parts of blocks. A plain store into
// a line waits until it has been read from memory, and all stores behind it wait, too: so whole lines of these blocks are streamed.
//
// The rows that take turns next come from memory meanwhile (next_rows.h), into the second cache: as many in the first one push out what this turn reads.
#include "compiler/kernel/footprint.h"
#include "compiler/loop/lower/chosen_cells.h"
#include "compiler/loop/lower/next_rows.h"
#include "compiler/loop/lower/pass.h"

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// Four lines of the cache: enough work for each turn, and so few numbers that registers hold them.
constexpr long kBytesOfBlock = 256, kBytesOfLine = 64;
/// Rows of fewer blocks, as tiles have them, would have hardly a whole one.
constexpr long kBlocksOfRow = 2;
/// Of numbers that are computed in a wider type than they are stored in, so many at once: LLVM has shuffles that take so many interleaved
/// bytes apart on every processor with vectors, and of more it makes single loads, which it then tries to join for seconds.
constexpr long kWidestOfNarrow = 32;
/// What is asked for in one turn of rows until it is used in the next one: half of a second cache.
constexpr long kMostBytesAhead = 512L << 10;

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

/// The bytes of the widest numbers that the body computes, at least those of what it stores.
class Widest : public Visitor {
public:
  explicit Widest(Scalar stored) : bytes_(bytesOf(stored)) {}
  void expr(const Expr &e) override {
    if (const Operation *one = as<Operation>(e))
      bytes_ = std::max(bytes_, bytesOf(one->type));
    Visitor::expr(e);
  }
  long bytes() const { return bytes_; }

private:
  static long bytesOf(Scalar type) { return static_cast<long>(kernel::bytesOf(type)); }
  long bytes_;
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
                                  : make({turns(cells, block(cells, stores.only(), nullptr), stores.only())});
    const Expr isLong = arithmetic(
        Op::LessEqual, {add(cells.begin, integer(kBlocksOfRow * cellsOfBlock(stores.only()))), endOf(cells)});
    const Expr isWorthIt =
        arithmetic(Op::And, {make({IsStreamed{cell.buffer, streaming(&cells).always}}), isLong});
    return make({If{isWorthIt, streamed, plainStores(n)}});
  }

  const Matrix &matrix(const Expr &cell) const {
    return lowering_.nest.buffers[static_cast<std::size_t>(as<Element>(cell)->buffer)];
  }
  long cellsOfBlock(const Expr &cell) const { return kBytesOfBlock / bytesOf(cell); }
  long bytesOf(const Expr &cell) const { return static_cast<long>(kernel::bytesOf(matrix(cell).element)); }

  /// Rows in turns.
  NodePtr strips(const For &rows, const For &cells, const Expr &store) const {
    const std::string strip = rows.iterator + "_s", past = rows.iterator + "_p";
    const Expr step = integer(streaming(&cells).rows), end = endOf(rows);
    const NodePtr ofRow = block(cells, store, ahead(rows, cells, store));
    const auto eachRow = [&](NodePtr body) {
      return make({For{rows.iterator, index(strip), less(index(rows.iterator), index(past)), nullptr,
                       std::move(body)}});
    };
    const For all = streaming(&cells).isStaggered ? staggered(rows, cells, store, ofRow, eachRow)
                                                  : turns(cells, eachRow(ofRow), store);
    return make(
        {For{strip, rows.begin, less(index(strip), end), step,
             pbc::loop::block({make({Let{{{past, minimum(add(index(strip), step), end)}}}}), make({all})})}});
  }

  /// Turns in which each row is a block behind the one before it; at the ends, some rows have none.
  template <class EachRow>
  For staggered(const For &rows, const For &cells, const Expr &store, const NodePtr &ofRow,
                const EachRow &eachRow) const {
    const std::string turn = cells.iterator + "_t";
    const Expr count = integer(cellsOfBlock(store)), at = index(turnOf(cells)),
               behind = subtract(index(rows.iterator), index(rows.iterator + "_s"));
    const Let place{{{turnOf(cells), subtract(index(turn), multiply(count, behind))}}};
    const Expr hasBlock = arithmetic(
        Op::And, {arithmetic(Op::LessEqual, {cells.begin, at}), less(at, add(endOf(cells), count))});
    const long cellsOfTurn = streaming(&cells).rows * cellsOfBlock(store);
    return {turn, cells.begin, less(index(turn), add(endOf(cells), integer(cellsOfTurn))), count,
            eachRow(pbc::loop::block({make({place}), make({If{hasBlock, ofRow}})}))};
  }

  static std::string turnOf(const For &cells) { return cells.iterator + "_b"; }

  For turns(const For &cells, NodePtr body, const Expr &store) const {
    const Expr count = integer(cellsOfBlock(store)), at = index(turnOf(cells));
    return {turnOf(cells), cells.begin, less(at, add(endOf(cells), count)), count, std::move(body)};
  }

  static std::string firstOf(const For &cells) { return cells.iterator + "_f"; }

  /// Asks for what the row reads that takes this turn next, beside the block; null if nothing is known of it.
  NodePtr ahead(const For &rows, const For &cells, const Expr &store) const {
    const ChosenAlike inside(cells.iterator, cells.body, ChosenAlike::Which::All);
    const std::vector<Expr> wanted = newCells(lowering_.nest, inside.body, rows.iterator, cells.iterator);
    const std::string at = cells.iterator + "_a";
    const long turns = streaming(&cells).rows;
    const Expr next = add(index(rows.iterator), integer(turns)), begin = index(firstOf(cells));
    long bytes = 0;
    std::vector<NodePtr> all;
    for (const Expr &cell : wanted) {
      const long along = alongRow(cell, cells.iterator) * bytesOf(cell);
      bytes += along;
      Prefetch line{replaced(cell, {{cells.iterator, index(at)}, {rows.iterator, next}})};
      line.cache = 2;
      all.push_back(make({For{at, begin, less(index(at), add(begin, integer(cellsOfBlock(store)))),
                              integer(std::max(kBytesOfLine / along, 1L)), make({std::move(line)})}}));
    }
    if (all.empty())
      return nullptr;
    const Expr isShort = arithmetic(
        Op::LessEqual, {subtract(endOf(cells), cells.begin), integer(kMostBytesAhead / (turns * bytes))});
    return make(
        {If{arithmetic(Op::And, {less(next, endOf(rows)), isShort}), pbc::loop::block(std::move(all))}});
  }

  /// The block in which the cell of this turn lies. `ahead`: what else is done at its turn, or null.
  NodePtr block(const For &cells, const Expr &store, const NodePtr &ahead) const {
    const std::string first = firstOf(cells), line = cells.iterator + "_l";
    const long count = cellsOfBlock(store), ofLine = kBytesOfLine / bytesOf(store);
    const Expr at = index(turnOf(cells)), begin = index(first);
    const auto isWhole = [&](const Expr &from, long length) {
      return arithmetic(Op::And, {arithmetic(Op::LessEqual, {cells.begin, from}),
                                  arithmetic(Op::LessEqual, {add(from, integer(length)), endOf(cells)})});
    };
    const Expr lineBegin = index(line), lineEnd = add(lineBegin, integer(ofLine));
    const For part{cells.iterator,
                   maximum(lineBegin, cells.begin),
                   less(index(cells.iterator), minimum(lineEnd, endOf(cells))),
                   nullptr,
                   cells.body,
                   kernel::as::Rolled{}};
    const For lines{line,
                    begin,
                    less(lineBegin, add(begin, integer(count))),
                    integer(ofLine),
                    make({If{isWhole(lineBegin, ofLine), together(cells, store, lineBegin, ofLine, "_line"),
                             make({part})}}),
                    {},
                    {.vectors = Hint::Vectors::Never, .unrolling = Hint::Unrolling::Never}};
    std::vector<NodePtr> all = {make({Let{
        {{first, subtract(at, make({CellsIntoBlock{replaced(store, {{cells.iterator, at}}), count}}))}}}})};
    if (ahead)
      all.push_back(ahead);
    all.push_back(
        make({If{isWhole(begin, count), together(cells, store, begin, count, "_block"), make({lines})}}));
    return pbc::loop::block(std::move(all));
  }

  /// So many neighbouring cells, which are computed in an array and stored past the caches.
  NodePtr together(const For &cells, const Expr &store, const Expr &begin, long count,
                   const char *suffix) const {
    const std::string array = matrix(store).name + suffix;
    const Scalar element = matrix(store).element;
    const Expr c = index(cells.iterator);
    const NodePtr into = IntoArray(make({Local{array, element, {subtract(c, begin)}}})).node(cells.body);
    Assign stored{replaced(store, {{cells.iterator, begin}}), {}, make({Local{array, element, {}}})};
    stored.together = count;
    stored.isStreamed = true;
    Widest widest(element);
    widest.node(cells.body);
    const long width = widest.bytes() > bytesOf(store) ? std::min(count, kWidestOfNarrow) : count;
    return pbc::loop::block({make({Array{array, element, {integer(count)}}}),
                             make({For{cells.iterator, begin, less(c, add(begin, integer(count))), nullptr,
                                       into, kernel::as::Vector{0, width}}}),
                             make({std::move(stored)})});
  }
};

} // namespace

NodePtr lowerStream(const NodePtr &n, Lowering &lowering) { return Stream(lowering).node(n); }

} // namespace pbc::loop
