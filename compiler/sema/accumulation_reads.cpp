// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/accumulation_reads.h"
#include "compiler/sema/affine.h"
#include "compiler/sema/cxx_expression.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::sema {

namespace {

using Accessor = syntax::Region::Accessor;
using syntax::Expr;
using syntax::ExprPtr;

std::string cxxCoordinate(const Expr &e, const AccumulationScope &scope) {
  const auto sum = linear(e);
  return sum ? cxxOf(*sum, scope.sizes) : cxxOf(e, scope.sizes);
}

/// The cells along one dimension that this coordinate goes through, if the region can be just these: a rule that reads what it
/// computes must not read more.
std::optional<std::pair<Linear, Linear>> rangeOf(const Expr &coordinate, const AccumulationLoops &loops) {
  const auto at = linear(coordinate);
  if (!at)
    return std::nullopt;
  const AccumulationLoop *loop = nullptr;
  for (const auto &name : at->names())
    if (const AccumulationLoop *found = loops.find(name)) {
      if (loop)
        return std::nullopt;
      loop = found;
    }
  if (!loop || !loop->range || std::abs(at->factor(loop->variable)) != 1)
    return std::nullopt;
  const Linear rest = at->without(loop->variable);
  const auto &[begin, end] = *loop->range;
  if (at->factor(loop->variable) == 1)
    return std::pair(rest.plus(begin), rest.plus(end));
  return std::pair(rest.plus(end, -1).plus(1), rest.plus(begin, -1).plus(1));
}

} // namespace

bool namesAny(const Expr &e, const std::vector<std::string> &names) {
  std::vector<syntax::Identifier> all;
  collectNames(e, all);
  return std::any_of(all.begin(), all.end(), [&](const syntax::Identifier &name) {
    return std::find(names.begin(), names.end(), name.text) != names.end();
  });
}

std::string widenRead(syntax::Region &region, const syntax::MatrixDecl &m, const AccumulationScope &scope,
                      const std::vector<std::string> &variables, const AccumulationLoops &loops) {
  const std::string name = region.name->text;
  if (region.accessor != Accessor::Cell) {
    const std::string at = cxxCoordinate(*region.coordinates[0], scope);
    const char *part = region.accessor == Accessor::Row ? "row" : "column";
    region.accessor = Accessor::Whole;
    region.coordinates.clear();
    return fmt::format("{}.{}({})", name, part, at);
  }
  const bool isComputed = scope.computed.contains(region.matrix.text);
  std::vector<std::string> inView; // the coordinates of the body
  std::vector<std::pair<ExprPtr, ExprPtr>> box;
  std::vector<std::size_t> fixed;
  bool isPart = false;
  const auto number = [&](const char *text) {
    return std::make_shared<Expr>(Expr{Expr::Kind::Integer, region.span, text, {}});
  };
  const auto at = std::move(region.coordinates);
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto range = isComputed ? rangeOf(*at[k], loops) : std::nullopt;
    if (!namesAny(*at[k], variables)) {
      fixed.push_back(k);
      box.emplace_back(at[k],
                       std::make_shared<Expr>(Expr{Expr::Kind::Add, at[k]->span, "", {at[k], number("1")}}));
      inView.push_back("0");
    } else if (range) {
      isPart = true;
      box.emplace_back(expressionOf(range->first, at[k]->span), expressionOf(range->second, at[k]->span));
      inView.push_back(cxxOf(linear(*at[k])->plus(range->first, -1), scope.sizes));
    } else {
      box.emplace_back(number("0"), m.extents[k]);
      inView.push_back(cxxCoordinate(*at[k], scope));
    }
  }
  region.coordinates.clear();
  if (isPart || (!fixed.empty() && at.size() != 2)) {
    region.accessor = Accessor::Region;
    for (const auto &[begin, end] : box)
      region.coordinates.push_back(begin);
    for (const auto &[begin, end] : box)
      region.coordinates.push_back(end);
  } else if (!fixed.empty()) {
    region.accessor = fixed[0] == 1 ? Accessor::Row : Accessor::Column;
    region.coordinates = {at[fixed[0]]};
    inView.erase(inView.begin() + static_cast<std::ptrdiff_t>(fixed[0]));
  } else {
    region.accessor = Accessor::Whole;
  }
  return fmt::format("{}.cell({})", name, fmt::join(inView, ", "));
}

} // namespace pbc::sema
