// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/nest/nest_work.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/poly/at_values.h"
#include "compiler/poly/least_points.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/val.h>
#include <set>

namespace pbc::search {
namespace {

using kernel::Access;
using kernel::Buffer;
using kernel::Expr;
using kernel::ExprPtr;
using kernel::Scalar;
using kernel::Statement;

std::optional<Number> numberOf(Scalar type) {
  switch (type) {
  case Scalar::F32:
    return Number::Float;
  case Scalar::F64:
    return Number::Double;
  default:
    return std::nullopt;
  }
}

class Counter {
public:
  Counter(const NestFacts &facts, const std::map<std::string, long> &values)
      : facts_(facts), values_(values) {}

  NestWork made() {
    for (const int s : facts_.statements) {
      const Statement &statement = facts_.kernel.statements[std::size_t(s)];
      domain_ = poly::atValues(statement.domain, values_);
      made_.instances = std::max(made_.instances, poly::leastPoints(domain_));
      addArrays(s);
      if (statement.isOpaque || statement.copy)
        continue;
      addOperations(statement);
      addTogether(s);
      addChain(statement);
    }
    made_.points = 1;
    for (const NestFacts::Loop &loop : facts_.loops)
      made_.points *= double(loop.extent);
    findProduct();
    for (NestWork::Array &array : made_.arrays) {
      array.alongRows = alongRows(array.name);
      array.isRead = array.isRead || begun_[array.name] < array.cells;
      array.storedAlong = storedAlong(array.name);
    }
    return std::move(made_);
  }

private:
  /// The loop of the nest that runs over a dimension of a statement; nothing for loops of the body.
  std::optional<std::size_t> loopOver(int statement, int dimension) const {
    for (std::size_t l = 0; l < facts_.loops.size(); ++l)
      if (facts_.loops[l].dimension[std::size_t(statement)] == dimension)
        return l;
    return std::nullopt;
  }

  void addArrays(int s) {
    const Statement &statement = facts_.kernel.statements[std::size_t(s)];
    for (const Access &access : statement.accesses) {
      const Buffer &buffer = facts_.kernel.buffers[std::size_t(access.buffer)];
      if (!kernel::isMatrix(buffer))
        continue;
      const std::string name = kernel::programName(facts_.kernel, buffer);
      auto array = std::find_if(made_.arrays.begin(), made_.arrays.end(),
                                [&](const auto &a) { return a.name == name; });
      if (array == made_.arrays.end())
        array = made_.arrays.insert(made_.arrays.end(), {name, long(kernel::bytesOf(buffer.element))});
      (access.isWrite ? array->isWritten : array->isRead) = true;
      // May-accesses of opaque bodies need not happen.
      if (statement.isOpaque)
        continue;
      const double cells = poly::leastPoints(domain_.apply(access.relation));
      array->cells = std::max(array->cells, cells);
      if (double &begun = begun_[name]; access.isWrite && statement.op.empty())
        begun = std::max(begun, cells);
      NestWork::Access made;
      for (int c = 0; c < buffer.rank; ++c) {
        made.coordinates.emplace_back();
        for (int d = 0; d < int(statement.dimensions.size()); ++d)
          if (const auto loop = loopOver(s, d);
              loop && kernel::along(facts_.kernel, access, d) && kernel::coefficient(access, c, d) != 0)
            made.coordinates.back().push_back(*loop);
      }
      array->accesses.push_back(std::move(made));
    }
  }

  /// The instances that differ in the dimensions with which the value moves: a value that stays is computed once.
  double timesOf(const Statement &statement, const Expr &e) const {
    isl::set set = domain_;
    for (int d = int(statement.dimensions.size()) - 1; d >= 0; --d)
      if (!kernel::movesWith(facts_.kernel, statement, e, d))
        set = isl::manage(isl_set_project_out(set.release(), isl_dim_set, unsigned(d), 1));
    return poly::leastPoints(set);
  }

  /// The same for expressions that are equal but for a translation.
  std::string keyOf(const Statement &statement, const Expr &e) const {
    std::string key = fmt::format("{}:{}(", int(e.kind), e.text);
    if (e.kind == Expr::Kind::Dimension)
      key += std::to_string(e.index);
    if (e.kind == Expr::Kind::Read) {
      const Access &access = statement.accesses[std::size_t(e.index)];
      key += fmt::format("{};", access.buffer);
      for (int c = 0; c < facts_.kernel.buffers[std::size_t(access.buffer)].rank; ++c) {
        for (int d = 0; d < int(statement.dimensions.size()); ++d)
          key += fmt::format("{},", kernel::coefficient(access, c, d));
        // No translation makes W[1] of W[0].
        const isl::val fixed =
            isl::manage(isl_map_plain_get_val_if_fixed(access.relation.get(), isl_dim_out, unsigned(c)));
        if (isl_val_is_int(fixed.get()) == isl_bool_true)
          key += fmt::format("={},", fixed.num_si());
      }
    }
    for (const ExprPtr &operand : e.operands)
      key += keyOf(statement, *operand) + ",";
    return key + ")";
  }

  void addOperation(const Statement &statement, const Expr &e) {
    const std::optional<Number> number = numberOf(e.type);
    if (!number || e.operands.empty() || !counted_.insert(keyOf(statement, e)).second)
      return;
    NestWork::Operations &operations = made_.operations[std::size_t(*number)];
    const bool isBinary = e.kind == Expr::Kind::Binary;
    if (isBinary && (e.text == "+" || e.text == "-"))
      operations.additions += timesOf(statement, e);
    else if (isBinary && e.text == "*")
      operations.multiplications += timesOf(statement, e);
    else if (isBinary && e.text == "/" && e.operands[1]->kind != Expr::Kind::Literal)
      operations.divisions += timesOf(statement, e);
    else if (e.kind == Expr::Kind::Call && (e.text == "sqrt" || e.text == "sqrtf"))
      operations.roots += timesOf(statement, e);
  }

  void visit(const Statement &statement, const ExprPtr &e) {
    if (!e)
      return;
    for (const ExprPtr &operand : e->operands)
      visit(statement, operand);
    // What only one arm of a choice computes need not be computed.
    if (e->kind != Expr::Kind::Select)
      addOperation(statement, *e);
  }

  void addOperations(const Statement &statement) {
    counted_.clear();
    if (statement.value && statement.value->kind != Expr::Kind::Select)
      visit(statement, statement.value);
    const std::optional<Number> number = statement.value ? numberOf(elementOf(statement)) : std::nullopt;
    if (!number)
      return;
    if (statement.op == "+" || statement.op == "-")
      made_.operations[std::size_t(*number)].additions += poly::leastPoints(domain_);
    if (statement.op == "*")
      made_.operations[std::size_t(*number)].multiplications += poly::leastPoints(domain_);
  }

  using TogetherByNumber = std::array<NestWork::Together, kNumbers>;

  static void count(const ExprPtr &e, TogetherByNumber &found) {
    if (!e)
      return;
    for (const ExprPtr &operand : e->operands)
      count(operand, found);
    if (const std::optional<Number> number = numberOf(e->type); number && e->kind == Expr::Kind::Binary) {
      found[std::size_t(*number)].additions += e->text == "+" || e->text == "-";
      found[std::size_t(*number)].multiplications += e->text == "*";
    }
  }

  /// Operations of the statement are side by side at most as often as there are iterations of loops of the body, unless each adds
  /// to what the one before has added.
  void addTogether(int s) {
    const Statement &statement = facts_.kernel.statements[std::size_t(s)];
    TogetherByNumber found;
    count(statement.value, found);
    const std::optional<Number> number = numberOf(elementOf(statement));
    if (number && !statement.op.empty())
      (statement.op == "*" ? found[std::size_t(*number)].multiplications
                           : found[std::size_t(*number)].additions) += 1;
    bool isInLoop = false, isOneCell = true; // in a loop of the body, with a cell that does not move in it
    for (int d = 0; d < int(statement.dimensions.size()); ++d)
      if (!loopOver(s, d)) {
        isInLoop = true;
        isOneCell =
            isOneCell && kernel::along(facts_.kernel, statement.accesses[std::size_t(statement.write)], d) ==
                             kernel::Along::Nowhere;
      }
    for (std::size_t n = 0; n < kNumbers; ++n) {
      NestWork::Together &all = made_.together[n];
      const bool isSum = number && std::size_t(*number) == n && accumulates(statement) == '+' &&
                         !facts_.kernel.reassociates && isOneCell;
      const double others = found[n].additions - double(isSum);
      const double times = isInLoop ? HUGE_VAL : 1;
      all.isOneSum = all.isOneSum && others == 0;
      all.additions += double(isSum) + (others > 0 ? others * times : 0);
      all.multiplications += found[n].multiplications > 0 ? found[n].multiplications * times : 0;
    }
  }

  Scalar elementOf(const Statement &statement) const {
    return facts_.kernel.buffers[std::size_t(statement.accesses[std::size_t(statement.write)].buffer)]
        .element;
  }

  /// Terms of one cell are added one after the other, unless sums may be reordered: some cell has as many as there are on average.
  void addChain(const Statement &statement) {
    const char how = accumulates(statement);
    if (how == 0 || facts_.kernel.reassociates)
      return;
    const std::optional<Number> number = numberOf(elementOf(statement));
    const double cells =
        poly::mostPoints(domain_.apply(statement.accesses[std::size_t(statement.write)].relation));
    if (number && cells > 1)
      made_.chains.push_back({*number, how == '*', poly::leastPoints(domain_) / cells});
    else if (number && isScalar(statement))
      made_.chains.push_back({*number, how == '*', poly::leastPoints(domain_)});
  }

  bool isScalar(const Statement &statement) const {
    const isl::set cells = domain_.apply(statement.accesses[std::size_t(statement.write)].relation);
    return cells.is_singleton();
  }

  /// NestWork::Array::alongRows.
  std::optional<std::vector<std::size_t>> alongRows(const std::string &name) const {
    const Access *only = nullptr;
    int statementOfOnly = -1;
    for (const int s : facts_.statements) {
      const Statement &statement = facts_.kernel.statements[std::size_t(s)];
      for (const Access &access : statement.accesses) {
        const Buffer &buffer = facts_.kernel.buffers[std::size_t(access.buffer)];
        if (!kernel::isMatrix(buffer) || kernel::programName(facts_.kernel, buffer) != name)
          continue;
        const bool computes = statement.value && statement.value->kind != Expr::Kind::Read &&
                              statement.value->kind != Expr::Kind::Literal;
        if (statement.isOpaque || statement.copy || buffer.rank == 0 ||
            !(computes || !statement.op.empty()) || (only && !only->relation.is_equal(access.relation)))
          return std::nullopt;
        only = &access;
        statementOfOnly = s;
      }
    }
    if (!only)
      return std::nullopt;
    std::vector<std::size_t> loops;
    const auto dimensions = int(facts_.kernel.statements[std::size_t(statementOfOnly)].dimensions.size());
    for (int d = 0; d < dimensions; ++d) {
      const auto how = kernel::along(facts_.kernel, *only, d);
      const auto loop = loopOver(statementOfOnly, d);
      if (!how || (!loop && *how != kernel::Along::Nowhere))
        return std::nullopt;
      if (loop && kernel::coefficient(*only, 0, d) != 0)
        loops.push_back(*loop);
    }
    return loops;
  }

  /// NestWork::Array::storedAlong.
  std::optional<std::size_t> storedAlong(const std::string &name) const {
    std::optional<std::size_t> found;
    for (const int s : facts_.statements) {
      const Statement &statement = facts_.kernel.statements[std::size_t(s)];
      for (const Access &access : statement.accesses) {
        const Buffer &buffer = facts_.kernel.buffers[std::size_t(access.buffer)];
        if (!kernel::isMatrix(buffer) || kernel::programName(facts_.kernel, buffer) != name)
          continue;
        if (found || !access.isWrite || statement.isOpaque || statement.copy || !statement.op.empty() ||
            !access.relation.intersect_domain(statement.domain).is_injective())
          return std::nullopt;
        for (int d = 0; d < int(statement.dimensions.size()); ++d)
          if (kernel::along(facts_.kernel, access, d) == kernel::Along::Contiguous)
            found = loopOver(s, d);
        if (!found)
          return std::nullopt;
      }
    }
    return found;
  }

  void findProduct() {
    if (facts_.loops.size() != 3 || made_.arrays.size() != 3)
      return;
    std::set<std::set<std::size_t>> pairs;
    for (const NestWork::Array &array : made_.arrays) {
      if (array.accesses.empty())
        return;
      for (const NestWork::Access &access : array.accesses) {
        std::set<std::size_t> loops;
        for (const auto &coordinate : access.coordinates) {
          if (coordinate.size() != 1)
            return;
          loops.insert(coordinate.front());
        }
        if (loops.size() != 2)
          return;
        pairs.insert(loops);
      }
    }
    made_.isProductOfMatrices = pairs.size() == 3 && made_.arrays[0].bytes == made_.arrays[1].bytes &&
                                made_.arrays[0].bytes == made_.arrays[2].bytes;
    made_.elementBytes = made_.arrays[0].bytes;
  }

  const NestFacts &facts_;
  const std::map<std::string, long> &values_;
  isl::set domain_;
  std::set<std::string> counted_;
  std::map<std::string, double>
      begun_; // by array: cells that are written by a statement that does not read them
  NestWork made_;
};

} // namespace

NestWork workOf(const NestFacts &facts, const std::map<std::string, long> &values) {
  return Counter(facts, values).made();
}

} // namespace pbc::search
