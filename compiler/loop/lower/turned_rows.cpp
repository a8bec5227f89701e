// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/turned_rows.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/lower/body_numbers.h"
#include "compiler/loop/lower/known_sums.h"
#include "compiler/loop/print.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <map>
#include <set>

namespace pbc::loop {
namespace {

const std::string kStep = "pb__k";
constexpr long kMostBefore = 2;        // cells in front of a strip that come singly
constexpr long kMostWrittenBefore = 4; // of those, if the loop writes them
constexpr unsigned kLeastBytes = 4;    // of a cell

Expr plus(Expr e, long number) {
  return number == 0  ? e
         : number > 0 ? add(std::move(e), integer(number))
                      : subtract(std::move(e), integer(-number));
}

/// The cell of a row at sign * (iteration) + constant and what else it depends on.
struct CellOfRow {
  std::string row; // the matrix, its other coordinates, and what is added to the place; compared only
  long sign = 1, constant = 0;
  /// How many iterations further the cell lies.
  long place() const { return sign * constant; }
};

/// Cells of rows that have an array.
struct Rows {
  Expr cell;   // the Element that iterations reach last
  long place;  // of this one
  long before; // how many cells in front of the strip are needed, too
  bool isWritten;
  std::string array;
};

struct Comparison {
  Arithmetic::Op op;
  Expr left, right;
};

class Strip {
public:
  Strip(const Nest &nest, const For &loop, const LanesOfRows &lanes, const StripNames &names)
      : nest_(nest), loop_(loop), lanes_(lanes), begin_(names.begin), cells_(index(names.cells)) {}

  std::optional<TurnedStrip> make() {
    for (const NodePtr &n : sequence(loop_.body))
      if (const Assign *one = as<Assign>(n))
        statements_.push_back(one);
      else if (!as<Array>(n))
        return std::nullopt;
    if (!findWritten())
      return std::nullopt;
    for (statement_ = 0; statement_ < statements_.size(); ++statement_)
      if (!collect(statements_[statement_]->value, true))
        return std::nullopt;
    if (rows_.empty())
      return std::nullopt;
    return TurnedStrip{strip(), condition(), widest()};
  }

private:
  Scalar widest() const {
    Scalar found = typeOf(rows_.front());
    for (const Rows &rows : rows_)
      if (kernel::bytesOf(typeOf(rows)) > kernel::bytesOf(found))
        found = typeOf(rows);
    return found;
  }
  Scalar typeOf(const Rows &rows) const {
    return nest_.buffers[static_cast<std::size_t>(as<Element>(rows.cell)->buffer)].element;
  }

  // ---- what cells there are

  bool isOfMatrix(const Element &e) const {
    const Matrix &m = nest_.buffers[static_cast<std::size_t>(e.buffer)];
    return m.ofGroup.empty() && !m.isOwn && kernel::bytesOf(m.element) >= kLeastBytes;
  }

  /// Whether the cells of the lanes lie in rows of their own.
  bool isApart(const Element &e) const {
    return std::any_of(e.indices.begin() + (e.indices.empty() ? 0 : 1), e.indices.end(),
                       [&](const Expr &i) { return mentions(i, lanes_.lane); });
  }

  std::optional<CellOfRow> cellOfRow(const Expr &e) const {
    const Element &cell = *as<Element>(e);
    std::optional<LinearSum> along = KnownSums().sumOf(cell.indices.front());
    if (!isOfMatrix(cell) || !along || along->factors.contains(lanes_.lane))
      return std::nullopt;
    const auto step = along->factors.find(loop_.iterator);
    if (step == along->factors.end() || std::abs(step->second) != 1)
      return std::nullopt;
    CellOfRow found{std::to_string(cell.buffer), step->second, along->constant};
    along->factors.erase(step);
    for (const auto &[name, factor] : along->factors)
      found.row += " + " + std::to_string(factor) + " " + name;
    found.row += found.sign > 0 ? " up" : " down";
    bool isInLanes = false;
    for (std::size_t c = 1; c < cell.indices.size(); ++c) {
      if (mentions(cell.indices[c], lanes_.lane)) {
        const std::optional<LinearSum> across = KnownSums().sumOf(cell.indices[c]);
        const auto lane = across ? across->factors.find(lanes_.lane) : step;
        if (isInLanes || !across || lane == across->factors.end() || lane->second != 1)
          return std::nullopt;
        isInLanes = true;
      }
      if (mentions(cell.indices[c], loop_.iterator))
        return std::nullopt;
      found.row += ", " + text(nest_, cell.indices[c]);
    }
    return isInLanes ? std::optional(found) : std::nullopt;
  }

  bool findWritten() {
    for (const Assign *one : statements_) {
      const Element *cell = as<Element>(one->target);
      if (!cell)
        continue;
      const std::optional<CellOfRow> here = one->op ? std::nullopt : cellOfRow(one->target);
      if (!here)
        return false;
      const auto [known, isNew] = written_.try_emplace(cell->buffer, Written{*here, rows_.size()});
      if (isNew)
        rows_.push_back({one->target, here->place(), 0, true, nameOf(*cell)});
      else if (known->second.cell.row != here->row || known->second.cell.constant != here->constant)
        return false;
    }
    return true;
  }

  /// The rows to which a cell that the current statement reads belongs; null if it has none yet.
  Rows *rowsOf(const Expr &e, const CellOfRow &cell) {
    const auto written = written_.find(as<Element>(e)->buffer);
    if (written != written_.end() && isComputed(cell, written->second.cell, as<Element>(e)->buffer))
      return &rows_[written->second.rows];
    for (const std::size_t k : readOf_[cell.row])
      if (const long behind = rows_[k].place - cell.place(); behind >= 0 && behind <= rows_[k].before)
        return &rows_[k];
    return nullptr;
  }

  /// Adds the cell to rows that are only read, and lie beside it; false if there are none.
  bool extend(const Expr &e, const CellOfRow &cell) {
    for (const std::size_t k : readOf_[cell.row]) {
      Rows &known = rows_[k];
      const long last = std::max(known.place, cell.place()),
                 before = last - std::min(known.place - known.before, cell.place());
      if (before > kMostBefore)
        continue;
      known.cell = cell.place() == last ? e : known.cell;
      known.place = last;
      known.before = before;
      return true;
    }
    return false;
  }

  /// Whether an iteration of the strip, or an earlier statement of this one, has written the cell.
  bool isComputed(const CellOfRow &cell, const CellOfRow &written, int buffer) const {
    if (cell.place() != written.place())
      return cell.place() < written.place();
    return std::any_of(statements_.begin(), statements_.begin() + static_cast<std::ptrdiff_t>(statement_),
                       [&](const Assign *one) {
                         const Element *before = as<Element>(one->target);
                         return before && before->buffer == buffer;
                       });
  }

  bool read(const Expr &e) {
    const Element &cell = *as<Element>(e);
    const auto written = written_.find(cell.buffer);
    if (!isApart(cell))
      return written == written_.end();
    const std::optional<CellOfRow> here = cellOfRow(e);
    if (!here || (written != written_.end() && written->second.cell.row != here->row))
      return false;
    if (Rows *known = rowsOf(e, *here)) {
      known->before = std::max(known->before, known->place - here->place());
      return known->before <= kMostWrittenBefore;
    }
    if (extend(e, *here))
      return true;
    readOf_[here->row].push_back(rows_.size());
    rows_.push_back({e, here->place(), 0, false, nameOf(cell)});
    return true;
  }

  /// Whether the strip has the cell already.
  bool isThere(const Expr &e) {
    const std::optional<CellOfRow> here = cellOfRow(e);
    Rows *const known = here ? rowsOf(e, *here) : nullptr;
    return known && known->place - here->place() <= known->before;
  }

  /// Finds all cells that an expression reads; false if some are of another kind, or if it is not certain that one of them is read or is read
  /// anyway.
  bool collect(const Expr &e, bool isCertain) {
    if (as<Element>(e))
      return isCertain || !isApart(*as<Element>(e)) ? read(e) : isThere(e);
    const Operation *o = as<Operation>(e);
    if (o && o->op == Operation::Op::Choose) {
      const std::size_t conditions = conditions_.size();
      const bool isKnown = isCertain && holdsApart(o->operands[1]) && addConditions(o->operands[0]);
      if (isKnown)
        always_.insert(o);
      else
        conditions_.resize(conditions);
      return collect(o->operands[0], isCertain) && collect(o->operands[1], isKnown) &&
             collect(o->operands[2], false);
    }
    if (o && (o->op == Operation::Op::And || o->op == Operation::Op::Or))
      return collect(o->operands[0], isCertain) && collect(o->operands[1], false);
    struct Below : Visitor {
      Strip &strip;
      const Expr &whole;
      bool isCertain, isFine = true;
      Below(Strip &strip, const Expr &whole, bool isCertain)
          : strip(strip), whole(whole), isCertain(isCertain) {}
      void expr(const Expr &inner) override { isFine = isFine && strip.collect(inner, isCertain); }
    } below(*this, e, isCertain);
    below.Visitor::expr(e);
    return below.isFine;
  }

  bool holdsApart(const Expr &e) const {
    struct Find : Visitor {
      const Strip &strip;
      bool isFound = false;
      explicit Find(const Strip &strip) : strip(strip) {}
      void expr(const Expr &e) override {
        isFound |= as<Element>(e) && strip.isApart(*as<Element>(e));
        Visitor::expr(e);
      }
    } find(*this);
    find.expr(e);
    return find.isFound;
  }

  // ---- where cells that are read under conditions are there

  /// Comparisons of sums, all of which must hold.
  bool addConditions(const Expr &e) {
    const Operation *o = as<Operation>(withoutParentheses(e));
    if (!o || o->operands.size() != 2)
      return false;
    if (o->op == Operation::Op::And)
      return addConditions(o->operands[0]) && addConditions(o->operands[1]);
    const Expr left = ofLoops(o->operands[0]), right = ofLoops(o->operands[1]);
    if (!left || !right)
      return false;
    switch (o->op) {
    case Operation::Op::Less:
      conditions_.push_back({Arithmetic::Op::Less, left, right});
      return true;
    case Operation::Op::LessEqual:
      conditions_.push_back({Arithmetic::Op::LessEqual, left, right});
      return true;
    case Operation::Op::Greater:
      conditions_.push_back({Arithmetic::Op::Less, right, left});
      return true;
    case Operation::Op::GreaterEqual:
      conditions_.push_back({Arithmetic::Op::LessEqual, right, left});
      return true;
    default:
      return false;
    }
  }

  /// A comparison of sums holds in all lanes of all iterations if it does in the first and the last ones.
  Expr condition() const {
    std::map<std::string, Expr> all; // by their text, each once
    const auto at = [&](const Expr &e, bool isLast, long lane) {
      return replaced(e, {{loop_.iterator, isLast ? lastOfStrip() : index(begin_)},
                          {lanes_.lane, plus(index(lanes_.first), lane)}});
    };
    for (const Comparison &c : conditions_)
      for (const bool isLast : {false, true})
        for (const long lane : {0L, lanes_.count - 1}) {
          const auto moves = [&](const std::string &name) {
            return mentions(c.left, name) || mentions(c.right, name);
          };
          if ((isLast && !moves(loop_.iterator)) || (lane > 0 && !moves(lanes_.lane)))
            continue;
          const Expr one = arithmetic(c.op, {at(c.left, isLast, lane), at(c.right, isLast, lane)});
          all.emplace(text(nest_, one), one);
        }
    Expr whole;
    for (const auto &[text, one] : all)
      whole = whole ? arithmetic(Arithmetic::Op::And, {whole, one}) : one;
    return whole;
  }

  // ---- the strip

  std::string nameOf(const Element &e) const {
    return nest_.buffers[static_cast<std::size_t>(e.buffer)].name + "_rows" + std::to_string(rows_.size());
  }

  Expr lastOfStrip() const { return plus(add(index(begin_), cells_), -1); }

  long signOf(const Rows &rows) const { return cellOfRow(rows.cell)->sign; }

  /// The place in the array of the cell that iteration `step` reaches, and of those before it.
  Expr placeIn(const Rows &rows, const Expr &step, long behind) const {
    if (signOf(rows) > 0)
      return plus(step, rows.before - behind);
    return subtract(plus(cells_, behind - 1), step);
  }
  Expr inArray(const Rows &rows, Expr place) const {
    const Scalar type = nest_.buffers[static_cast<std::size_t>(as<Element>(rows.cell)->buffer)].element;
    return loop::make({Local{rows.array, type, {std::move(place), index(lanes_.lane)}, true}});
  }

  NodePtr turned(const Rows &rows, bool isBack) const {
    const bool isUp = signOf(rows) > 0;
    const auto lane = [&](long number) {
      return replaced(rows.cell, {{loop_.iterator, isUp ? index(begin_) : lastOfStrip()},
                                  {lanes_.lane, plus(index(lanes_.first), number)}});
    };
    Local array = *as<Local>(inArray(rows, integer(isUp ? rows.before : 0)));
    array.indices.back() = integer(0);
    array.isByLane = false;
    return loop::make({TurnedRows{lane(0), lane(1), loop::make({array}), lanes_.count, cells_, isBack}});
  }

  struct InArrays : Mutator {
    Strip &strip;
    explicit InArrays(Strip &strip) : strip(strip) {}
    Expr expr(const Expr &e) override {
      const Operation *o = as<Operation>(e);
      if (o && o->op == Operation::Op::Choose && strip.always_.contains(o))
        return expr(o->operands[1]);
      const Element *cell = as<Element>(e);
      if (!cell || !strip.isApart(*cell))
        return Mutator::expr(e);
      const CellOfRow here = *strip.cellOfRow(e);
      const Rows &rows = *strip.rowsOf(e, here);
      return strip.inArray(rows, strip.placeIn(rows, index(kStep), rows.place - here.place()));
    }
  };

  NodePtr strip() {
    std::vector<NodePtr> all;
    for (const Rows &rows : rows_)
      all.push_back(
          loop::make({Array{rows.array,
                            nest_.buffers[static_cast<std::size_t>(as<Element>(rows.cell)->buffer)].element,
                            {plus(cells_, rows.before), integer(lanes_.count)}}}));
    for (const Rows &rows : rows_) {
      for (long behind = rows.before; behind > 0; --behind) {
        const Expr cell = replaced(rows.cell, {{loop_.iterator, plus(index(begin_), -behind)}});
        const Expr place = signOf(rows) > 0 ? integer(rows.before - behind) : plus(cells_, behind - 1);
        all.push_back(loop::make({Assign{inArray(rows, place), std::nullopt, cell}}));
      }
      if (!rows.isWritten)
        all.push_back(turned(rows, false));
    }
    std::vector<NodePtr> step{loop::make(
        {Let{.variables = {{loop_.iterator, add(index(begin_), index(kStep))}}, .mayBeUnused = true}})};
    statement_ = 0;
    for (const NodePtr &n : sequence(loop_.body)) {
      const Assign *one = as<Assign>(n);
      if (!one) {
        step.push_back(n);
        continue;
      }
      InArrays inArrays(*this);
      Assign changed = *one;
      changed.value = inArrays.expr(one->value);
      if (const Element *cell = as<Element>(one->target)) {
        const Rows &rows = rows_[written_.at(cell->buffer).rows];
        changed.target = inArray(rows, placeIn(rows, index(kStep), 0));
      }
      step.push_back(loop::make({std::move(changed)}));
      ++statement_;
    }
    all.push_back(
        loop::make({For{kStep, integer(0), less(index(kStep), cells_), nullptr, block(std::move(step))}}));
    for (const Rows &rows : rows_)
      if (rows.isWritten)
        all.push_back(turned(rows, true));
    return scope(std::move(all));
  }

  struct Written {
    CellOfRow cell;
    std::size_t rows;
  };
  const Nest &nest_;
  const For &loop_;
  const LanesOfRows &lanes_;
  const std::string &begin_;
  const Expr cells_;
  std::vector<const Assign *> statements_;
  std::size_t statement_ = 0;                              // that is read
  std::map<int, Written> written_;                         // by buffer
  std::map<std::string, std::vector<std::size_t>> readOf_; // the Rows that are only read
  std::vector<Rows> rows_;
  std::vector<Comparison> conditions_;
  std::set<const Operation *> always_; // choices whose conditions are among these
};

} // namespace

std::optional<TurnedStrip> turnedStrip(const Nest &nest, const For &loop, const LanesOfRows &lanes,
                                       const StripNames &names) {
  return Strip(nest, loop, lanes, names).make();
}

} // namespace pbc::loop
