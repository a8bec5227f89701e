// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/rows_in_group.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/print.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <map>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

constexpr long kMostItemsOfGroup = 32, kMostStripBytes = 48 << 10; // what a kernel has without asking for it

Expr rowsOfBlock() { return ofMachine("PB_C0"); }
Expr itemsOfGroup() { return ofMachine("PB_G0"); }
/// Places of a line: an odd number, unless the number of rows is odd itself.
Expr pitch() {
  return grouped(
      subtract(add(rowsOfBlock(), integer(1)), arithmetic(Op::Modulo, {rowsOfBlock(), integer(2)})));
}

NodePtr let(const std::string &name, Expr value) {
  return make({Let{.variables = {{name, std::move(value)}}, .mayBeUnused = true}});
}
NodePtr ofGroup(const char *name, Expr value) {
  return make(
      {Let{.variables = {{name, std::move(value)}}, .mayBeUnused = true, .within = Let::Within::Group}});
}

/// The nodes around the loop over rows: items along each axis that are in the launch, from the last axis to axis 0.
struct Around {
  struct Axis {
    int axis;
    std::string item;
    Expr low, inside;
  };
  std::vector<Axis> axes;
  const For *rows = nullptr;

  static std::optional<Around> of(NodePtr n) {
    Around found;
    while (const NodePtr one = only(n)) {
      const Parallel *items = as<Parallel>(one);
      const If *inside = items ? as<If>(only(items->body)) : nullptr;
      if (inside && items->over == Parallel::Over::Launch && !inside->otherwise) {
        found.axes.push_back({items->axis, items->iterator, items->begin, inside->condition});
        n = inside->then;
        continue;
      }
      found.rows = as<For>(one);
      break;
    }
    if (!found.rows || found.axes.empty() || found.axes.back().axis != 0)
      return std::nullopt;
    return found;
  }

private:
  /// The only node of a block.
  static NodePtr only(NodePtr n) {
    while (const Block *b = as<Block>(n)) {
      if (b->nodes.size() != 1)
        return nullptr;
      n = b->nodes.front();
    }
    return n;
  }
};

/// A cell for each row and line.
struct Strip {
  std::string name;
  Expr cell; // an Element, of row `rows->iterator` and line `item`
  bool isResult;
};

class Exchange {
public:
  Exchange(const Nest &nest, int result, const Around &around)
      : nest_(nest), result_(result), around_(around), item_(around.axes.back().item) {
    struct Finding : Visitor {
      Exchange &of;
      explicit Finding(Exchange &of) : of(of) {}
      void node(const NodePtr &n) override {
        const For *loop = as<For>(n);
        if (loop)
          of.steps_ = loop;
        Visitor::node(n);
      }
      void expr(const Expr &e) override {
        if (of.runsAlongRows(e, of.around_.rows->iterator))
          of.note(e);
        Visitor::expr(e);
      }
    } finding(*this);
    finding.node(around.rows->body);
  }

  bool hasResult() const {
    return std::any_of(strips_.begin(), strips_.end(), [](const auto &s) { return s.second.isResult; });
  }

  long bytesOfRow() const {
    long bytes = 0;
    for (const auto &[text, s] : strips_)
      bytes += kMostItemsOfGroup * kernel::bytesOf(matrixOf(s).element);
    return bytes;
  }

  NodePtr all(const NodePtr &computing, long most, const NodePtr &otherwise) const {
    const Expr fits = less(rowsOfBlock(), integer(most + 1)), first = index("first0"), lane = index("lane0");
    std::vector<NodePtr> body, loads, stores, arrays;
    for (const auto &[text, s] : strips_) {
      const Expr places = arithmetic(Op::Choose, {fits, pitch(), integer(1)});
      arrays.push_back(make({Array{
          s.name, matrixOf(s).element, {itemsOfGroup(), grouped(places)}, false, Array::Space::Group}}));
      Assign move{atLine(s), {}, place(s, index("line"), index("place"))};
      move.isBackground = !s.isResult;
      if (!s.isResult)
        std::swap(move.target, move.value);
      (s.isResult ? stores : loads).push_back(make({std::move(move)}));
    }
    if (!loads.empty())
      body = {turns(std::move(loads)), make({Barrier{.endsCopies = true}})};
    body.push_back(let(item_, add(first, lane)));
    body.push_back(make({If{around_.axes.back().inside, InStrips(*this).node(computing), nullptr}}));
    body.push_back(make({Barrier{}}));
    body.push_back(turns(std::move(stores)));
    NodePtr made = make({Parallel{Parallel::Over::Items, 0, "lane0", integer(0), nullptr, scope(body)}});
    made =
        block({let("first0", add(around_.axes.back().low, multiply(index("group0"), itemsOfGroup()))), made});
    made = make({Parallel{Parallel::Over::Groups, 0, "group0", integer(0), nullptr, made}});
    Expr isOfAxis = fits;
    for (std::size_t k = around_.axes.size() - 1; k-- > 0;) { // a group has one item along each
      const Around::Axis &axis = around_.axes[k];
      made = make({Parallel{Parallel::Over::Groups, axis.axis, axis.item, axis.low, nullptr, made}});
      isOfAxis = arithmetic(
          Op::And,
          {isOfAxis, arithmetic(Op::Equal, {ofMachine("PB_G" + std::to_string(axis.axis)), integer(1)})});
    }
    isOfAxis = arithmetic(Op::And, {isOfAxis, less(itemsOfGroup(), integer(kMostItemsOfGroup + 1))});
    arrays.push_back(make({If{isOfAxis, made, otherwise}}));
    return block(std::move(arrays));
  }

private:
  /// Whether the cell's place along dimension 0 depends on this iterator, and its line on the item.
  bool runsAlongRows(const Expr &e, const std::string &iterator) const {
    const Element *cell = as<Element>(e);
    if (!cell || cell->indices.size() < 2 || !mentions(cell->indices[0], iterator) ||
        mentions(cell->indices[0], item_))
      return false;
    const auto isOfLine = [&](const Expr &one) { return mentions(one, item_); };
    const auto isOfLoops = [&](const Expr &one) {
      return mentions(one, around_.rows->iterator) || (steps_ && mentions(one, steps_->iterator));
    };
    return std::any_of(cell->indices.begin() + 1, cell->indices.end(), isOfLine) &&
           std::none_of(cell->indices.begin() + 1, cell->indices.end(), isOfLoops);
  }

  void note(const Expr &e) {
    const Element &cell = *as<Element>(e);
    if (steps_ && mentions(cell.indices[0], steps_->iterator))
      return;
    const std::string number = std::to_string(strips_.size());
    strips_.try_emplace(text(nest_, e), Strip{"strip" + number, e, cell.buffer == result_});
  }

  const Matrix &matrixOf(const Strip &s) const {
    return nest_.buffers[static_cast<std::size_t>(as<Element>(s.cell)->buffer)];
  }

  Expr place(const Strip &s, const Expr &line, const Expr &at) const {
    return make({Local{s.name, matrixOf(s).element, {add(multiply(line, pitch()), at)}}});
  }

  Expr atLine(const Strip &s) const {
    return replaced(s.cell, {{around_.rows->iterator, grouped(add(around_.rows->begin, index("place")))},
                             {item_, grouped(add(index("first0"), index("line")))}});
  }

  /// All places of the strips that are rows of the block and lines of the launch, neighbours by neighbouring items.
  NodePtr turns(std::vector<NodePtr> moves) const {
    const Expr slot = index("slot");
    const Expr isRow = less(index("place"), grouped(subtract(limit("highrows"), limit("lowrows"))));
    const Expr isLine =
        replaced(around_.axes.back().inside, {{item_, grouped(add(index("first0"), index("line")))}});
    For each{"turn", integer(0), less(index("turn"), rowsOfBlock()), nullptr,
             scope({ofGroup("slot", add(index("lane0"), multiply(index("turn"), itemsOfGroup()))),
                    ofGroup("place", arithmetic(Op::Modulo, {slot, rowsOfBlock()})),
                    ofGroup("line", arithmetic(Op::Divide, {slot, rowsOfBlock()})),
                    make({If{arithmetic(Op::And, {isRow, isLine}), scope(std::move(moves)), nullptr}})})};
    each.hint.unrolling = Hint::Unrolling::Fully;
    return make({std::move(each)});
  }

  /// The item's own lines.
  struct InStrips : Mutator {
    const Exchange &of;
    explicit InStrips(const Exchange &of) : of(of) {}
    Expr expr(const Expr &e) override {
      const Element *cell = as<Element>(e);
      const For &rows = *of.around_.rows;
      if (of.runsAlongRows(e, rows.iterator))
        if (const auto at = of.strips_.find(text(of.nest_, e)); at != of.strips_.end())
          return own(at->second, rows);
      // A step reads the row with its own number.
      if (of.steps_ && cell && cell->buffer == of.result_ && of.runsAlongRows(e, of.steps_->iterator))
        for (const auto &[text, s] : of.strips_)
          if (s.isResult)
            return own(s, *of.steps_);
      return Mutator::expr(e);
    }
    Expr own(const Strip &s, const For &loop) const {
      return of.place(s, index("lane0"), grouped(subtract(index(loop.iterator), grouped(loop.begin))));
    }
  };

  const Nest &nest_;
  const int result_;
  const Around &around_;
  const std::string item_; // of axis 0
  const For *steps_ = nullptr;
  std::map<std::string, Strip> strips_; // by the text of their cells
};

} // namespace

NodePtr withRowsInGroup(const Nest &nest, int result, const NodePtr &computing, long most,
                        const NodePtr &otherwise) {
  const std::optional<Around> around = Around::of(nest.body);
  if (!around)
    return nullptr;
  const Exchange exchange(nest, result, *around);
  const long fitting = exchange.hasResult() ? kMostStripBytes / exchange.bytesOfRow() - 1 : 0;
  return fitting > 0 ? exchange.all(computing, std::min(most, fitting), otherwise) : nullptr;
}

} // namespace pbc::loop
