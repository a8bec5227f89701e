// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/lower/next_rows.h"
#include "compiler/loop/lower/known_sums.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <set>

namespace pbc::loop {
namespace {

/// A row of a matrix that an iteration over rows reads.
struct ReadRow {
  Expr cell;
  std::vector<LinearSum> at;
  std::size_t moved; // the coordinate that goes on with the rows
  long perRow;       // by so many cells
};

long factorOf(const LinearSum &sum, const std::string &name) {
  const auto at = sum.factors.find(name);
  return at == sum.factors.end() ? 0 : at->second;
}

class ReadRows : public Visitor {
public:
  ReadRows(const Nest &nest, const std::string &row, const std::string &cell)
      : nest_(nest), row_(row), cell_(cell) {}

  void node(const NodePtr &n) override {
    if (const Assign *one = as<Assign>(n)) {
      expr(one->value);
      return;
    }
    if (const Let *let = as<Let>(n))
      for (const Let::Variable &v : let->variables)
        unknown_.insert(v.name);
    if (const For *loop = as<For>(n)) {
      isInLoop = true;
      const Integer *first = loop->begin ? as<Integer>(loop->begin) : nullptr;
      const Expr end = isCounting(*loop) ? endOf(*loop) : nullptr;
      const Integer *past = end ? as<Integer>(end) : nullptr;
      if (first && past && first->value < past->value)
        inner_.push_back({loop->iterator, first->value, past->value - 1});
      else
        unknown_.insert(loop->iterator);
    }
    Visitor::node(n);
  }

  void expr(const Expr &e) override {
    if (const Element *element = as<Element>(e))
      note(*element);
    Visitor::expr(e);
  }

  std::vector<ReadRow> all;
  bool isInLoop = false; // of the body

private:
  struct Inner {
    std::string iterator;
    long first, last;
  };

  /// The coordinate in the iterations of inner loops that lead in the direction in which the rows go on.
  Expr leading(const Expr &coordinate, const LinearSum &sum, long direction) const {
    Replacements values;
    for (const Inner &loop : inner_)
      if (const long factor = factorOf(sum, loop.iterator))
        values.emplace_back(loop.iterator,
                            integer((factor > 0) == (direction >= 0) ? loop.last : loop.first));
    return values.empty() ? coordinate : replaced(coordinate, values);
  }

  void note(Element element) {
    const Matrix &matrix = nest_.buffers[static_cast<std::size_t>(element.buffer)];
    if (matrix.isOwn || !matrix.ofGroup.empty() || element.indices.size() < 2)
      return;
    ReadRow found{nullptr, {}, 0, 0};
    for (std::size_t d = 0; d < element.indices.size(); ++d) {
      Expr &at = element.indices[d];
      const std::optional<LinearSum> sum = KnownSums().sumOf(at);
      if (!sum ||
          std::ranges::any_of(sum->factors, [&](const auto &f) { return unknown_.contains(f.first); }))
        return;
      const long perRow = factorOf(*sum, row_), perCell = factorOf(*sum, cell_);
      if ((perRow != 0 && (d == 0 || found.moved != 0)) || (d == 0 ? perCell <= 0 : perCell != 0))
        return;
      if (perRow != 0) {
        found.moved = d;
        found.perRow = perRow;
      }
      at = leading(at, *sum, perRow);
      found.at.push_back(*KnownSums().sumOf(at));
    }
    if (found.moved == 0)
      return;
    found.cell = make(Expression{std::move(element)});
    all.push_back(std::move(found));
  }

  const Nest &nest_;
  const std::string row_, cell_;
  std::vector<Inner> inner_;
  std::set<std::string> unknown_;
};

/// Whether the first row has been read before the second one is: by an iteration over rows, or over planes around them, in front of this one, or
/// by the same one.
bool isReadBefore(const ReadRow &one, const ReadRow &other, bool isEarlier) {
  if (as<Element>(one.cell)->buffer != as<Element>(other.cell)->buffer || one.at.size() != other.at.size() ||
      one.moved != other.moved)
    return false;
  bool isOlderPlane = false;
  for (std::size_t d = 0; d < one.at.size(); ++d) {
    if (one.at[d].factors != other.at[d].factors)
      return false;
    const long further = other.at[d].constant - one.at[d].constant;
    if (d == 0 || d == one.moved || further == 0)
      continue;
    if (one.at[d].factors.empty() || further < 0)
      return false;
    isOlderPlane = true;
  }
  if (isOlderPlane)
    return true;
  const long further = other.at[one.moved].constant - one.at[one.moved].constant;
  return further == 0 ? isEarlier : further % one.perRow == 0 && further / one.perRow > 0;
}

} // namespace

std::vector<Expr> newCells(const Nest &nest, const NodePtr &body, const std::string &row,
                           const std::string &cell) {
  ReadRows reads(nest, row, cell);
  reads.node(body);
  std::vector<Expr> all;
  for (std::size_t r = 0; r < reads.all.size(); ++r) {
    bool isNew = true, isReadAgain = false;
    for (std::size_t o = 0; o < reads.all.size(); ++o)
      if (o != r) {
        isNew &= !isReadBefore(reads.all[r], reads.all[o], o < r);
        isReadAgain |= as<Element>(reads.all[o].cell)->buffer == as<Element>(reads.all[r].cell)->buffer;
      }
    if (isNew && (isReadAgain || reads.isInLoop))
      all.push_back(reads.all[r].cell);
  }
  return all;
}

long alongRow(const Expr &element, const std::string &cell) {
  const std::optional<LinearSum> sum = KnownSums().sumOf(as<Element>(element)->indices.front());
  return sum ? factorOf(*sum, cell) : 0;
}

} // namespace pbc::loop
