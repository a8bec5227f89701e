// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/nest/nest_facts.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/poly/at_values.h"
#include "compiler/poly/least_points.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/val.h>
#include <set>

namespace pbc::search {
namespace {

using kernel::Access;
using kernel::Buffer;
using kernel::LoopNode;
using kernel::Scheduled;
using kernel::Statement;

/// The one set of values that the sizes have, and the limits of a part of the tasks; nothing if one of them has none.
std::optional<isl::set> sizesAt(const Scheduled &kernel, const std::map<std::string, long> &values) {
  std::string conditions;
  std::vector<std::string> names = kernel.parameters;
  for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
    for (const std::string &limit : {lowLimit(k), highLimit(k)})
      names.push_back(limit);
  for (const std::string &parameter : names) {
    const auto at = values.find(parameter);
    if (at == values.end())
      return std::nullopt;
    conditions += fmt::format("{}{} = {}", conditions.empty() ? "" : " and ", parameter, at->second);
  }
  return isl::set(kernel.context.ctx(), fmt::format("{}{{ : {} }}", poly::parameterPrefix(names),
                                                    conditions.empty() ? "true" : conditions));
}

/// The values of the loop's variable; nothing without iterations.
std::optional<isl::set> valuesOf(const LoopNode &loop, const isl::set &sizes) {
  const isl::union_set instances = isl::manage(
      isl_union_set_intersect_params(isl_schedule_node_get_domain(loop.band.get()), sizes.copy()));
  const isl::union_set values = instances.apply(kernel::member(loop.band, 0).as_union_map());
  return values.is_empty() ? std::nullopt : std::optional(values.as_set());
}

/// The chains of loops that lie directly in each other, from each loop that no other loop is around.
std::vector<std::vector<LoopNode>> nestsOf(const Scheduled &kernel) {
  std::vector<std::vector<LoopNode>> nests;
  for (const LoopNode &loop : kernel::loopsOf(kernel.schedule.tree)) {
    bool isOutermost = true;
    for (isl::schedule_node node = loop.top; isOutermost && node.has_parent();) {
      node = node.parent();
      isOutermost = !kernel::loopAt(node);
    }
    if (isOutermost)
      nests.push_back(kernel::nestFrom(loop));
  }
  return nests;
}

bool movesAlong(const Access &access, int dimension) {
  if (dimension < 0)
    return false;
  return isl_map_involves_dims(access.relation.get(), isl_dim_in, unsigned(dimension), 1) != isl_bool_false;
}

bool isBelow(const LoopNode &loop, const LoopNode &outer) {
  for (isl::schedule_node node = loop.top; node.has_parent();) {
    node = node.parent();
    if (const std::optional<LoopNode> around = kernel::loopAt(node); around && around->label == outer.label)
      return true;
  }
  return false;
}

class Finder {
public:
  Finder(const Scheduled &kernel, const isl::set &sizes, const std::vector<LoopNode> &nest) {
    made_.kernel = kernel;
    for (const LoopNode &loop : nest) {
      NestFacts::Loop fact{loop.label};
      if (const std::optional<isl::set> values = valuesOf(loop, sizes)) {
        fact.first = values->dim_min_val(0).num_si();
        fact.extent = values->dim_max_val(0).num_si() - fact.first + 1;
      }
      fact.isParallel = kernel::isParallel(loop.band);
      for (const Statement &statement : kernel.statements)
        fact.dimension.push_back(dimensionOf(loop, statement));
      made_.loops.push_back(std::move(fact));
    }
    for (const std::string &name : kernel::statementsAt(nest.back().band.child(0)))
      made_.statements.push_back(kernel::statementIndex(kernel, name));
    for (const LoopNode &loop : kernel::loopsOf(kernel.schedule.tree))
      if (isBelow(loop, nest.back()) && !kernel::realisedAs<kernel::as::Unroll>(loop.how))
        made_.loopsInBody.push_back(loop.label);
    std::vector<isl::union_pw_aff> functions;
    for (const LoopNode &loop : nest)
      functions.push_back(kernel::member(loop.band, 0));
    made_.isPermutable = kernel::isPermutable(nest.front().top, functions, kernel.dependences);
    findFixed(nest);
    findSum();
    findReused(nest.back());
  }

  NestFacts made() { return std::move(made_); }

private:
  static int dimensionOf(const LoopNode &loop, const Statement &statement) {
    const std::optional<isl::pw_aff> function = kernel::member(loop.band, 0, statement.name);
    if (!function)
      return -1;
    for (unsigned d = 0; d < unsigned(statement.dimensions.size()); ++d)
      if (isl_pw_aff_involves_dims(function->get(), isl_dim_in, d, 1) == isl_bool_true)
        return int(d);
    return -1;
  }

  const Statement &statement(int index) const { return made_.kernel.statements[std::size_t(index)]; }

  /// A statement adds to a cell of a matrix that some loops leave the same: these are the sum's.
  void findSum() {
    for (const int s : made_.statements) {
      const Statement &st = statement(s);
      if (accumulates(st) == 0)
        continue;
      const Access &write = st.accesses[std::size_t(st.write)];
      const Buffer &buffer = made_.kernel.buffers[std::size_t(write.buffer)];
      if (!kernel::isMatrix(buffer))
        continue;
      for (NestFacts::Loop &loop : made_.loops)
        if (!loop.isParallel && !movesAlong(write, loop.dimension[std::size_t(s)])) {
          loop.isOfSum = true;
          made_.sum = kernel::programName(made_.kernel, buffer);
        }
      if (!made_.sum.empty())
        return;
    }
  }

  /// In the iterations of the innermost loop, each of the others has all its iterations for all values of the rest.
  void findFixed(const std::vector<LoopNode> &nest) {
    const isl::set all = kernel::stepsOf(nest.back(), made_.kernel.context);
    for (std::size_t l = 0; l < nest.size(); ++l) {
      NestFacts::Loop &loop = made_.loops[l];
      isl_set *free = isl_set_eliminate(all.copy(), isl_dim_set, unsigned(l), 1);
      free = isl_set_lower_bound_si(free, isl_dim_set, unsigned(l), int(loop.first));
      free = isl_set_upper_bound_si(free, isl_dim_set, unsigned(l), int(loop.first + loop.extent - 1));
      loop.isFixed = isl::manage(free).is_equal(all);
    }
  }

  /// Whether it moves along a loop of the body.
  bool movesInBody(const Access &access, int s) const {
    for (int d = 0; d < int(statement(s).dimensions.size()); ++d)
      if (movesAlong(access, d) &&
          std::none_of(made_.loops.begin(), made_.loops.end(),
                       [&](const NestFacts::Loop &loop) { return loop.dimension[std::size_t(s)] == d; }))
        return true;
    return false;
  }

  /// Of a matrix that is read several times, the loops along which any of its reads moves.
  void findReused(const LoopNode &innermost) {
    std::vector<NestFacts::Reused> read;
    std::set<std::string> inBody;
    for (const int s : made_.statements)
      for (const Access &access : statement(s).accesses) {
        const Buffer &buffer = made_.kernel.buffers[std::size_t(access.buffer)];
        if (access.isWrite || buffer.role != Buffer::Role::Input || buffer.rank == 0)
          continue;
        const std::string name = kernel::programName(made_.kernel, buffer);
        if (movesInBody(access, s))
          inBody.insert(name);
        auto known = std::find_if(read.begin(), read.end(), [&](const auto &r) { return r.matrix == name; });
        if (known == read.end())
          known = read.insert(read.end(), {name, {}});
        for (std::size_t l = 0; l < made_.loops.size(); ++l)
          if (movesAlong(access, made_.loops[l].dimension[std::size_t(s)]) &&
              std::find(known->movesAlong.begin(), known->movesAlong.end(), l) == known->movesAlong.end())
            known->movesAlong.push_back(l);
      }
    for (NestFacts::Reused &one : read)
      if (!one.movesAlong.empty() && one.movesAlong.size() < made_.loops.size() &&
          !inBody.count(one.matrix) && findCoordinates(one, innermost))
        made_.reused.push_back(std::move(one));
  }

  /// False: its reads move in different ways, so that a part of it has no shape that is the same everywhere.
  bool findCoordinates(NestFacts::Reused &one, const LoopNode &innermost) {
    const isl::schedule_node inside = isl::manage(isl_schedule_node_child(innermost.band.copy(), 0));
    const isl::union_map iterations =
        isl::manage(isl_schedule_node_get_prefix_schedule_union_map(inside.get()));
    isl::map cells; // { [loops] -> [cells] }
    for (const int s : made_.statements)
      for (const Access &access : statement(s).accesses) {
        const Buffer &buffer = made_.kernel.buffers[std::size_t(access.buffer)];
        if (kernel::programName(made_.kernel, buffer) != one.matrix)
          continue;
        one.bytesOfCell = long(kernel::bytesOf(buffer.element));
        std::vector<std::vector<long>> moves;
        for (int c = 0; c < buffer.rank; ++c) {
          moves.emplace_back();
          for (const NestFacts::Loop &loop : made_.loops) {
            const int d = loop.dimension[std::size_t(s)];
            if (d >= 0 && !kernel::along(made_.kernel, access, d))
              return false;
            moves.back().push_back(d < 0 ? 0 : kernel::coefficient(access, c, d));
          }
        }
        for (std::size_t c = 0; c < moves.size(); ++c) {
          if (one.coordinates.size() <= c)
            one.coordinates.push_back({1, moves[c]});
          else if (one.coordinates[c].byLoop != moves[c])
            return false;
        }
        const isl::union_map own = iterations.intersect_domain(isl::union_set(statement(s).domain));
        const isl::map here = isl::manage(
            isl_map_from_union_map(own.reverse().apply_range(isl::union_map(access.relation)).release()));
        cells = cells.is_null() ? here : cells.unite(here);
      }
    const isl::set distances = isl::manage(isl_map_deltas(cells.reverse().apply_range(cells).release()));
    for (std::size_t c = 0; c < one.coordinates.size(); ++c) {
      const isl::val most = isl::manage(isl_set_dim_max_val(distances.copy(), int(c)));
      if (isl_val_is_int(most.get()) != isl_bool_true)
        return false;
      one.coordinates[c].cells = most.num_si() + 1;
    }
    return true;
  }

  NestFacts made_;
};

} // namespace

std::string lowLimit(std::size_t taskDimension) { return fmt::format("pb__low{}", taskDimension); }
std::string highLimit(std::size_t taskDimension) { return fmt::format("pb__high{}", taskDimension); }

char accumulates(const Statement &statement) {
  if (statement.isOpaque || statement.write < 0)
    return 0;
  if (statement.op == "+" || statement.op == "-")
    return '+';
  if (statement.op == "*" || statement.op == "/")
    return '*';
  if (!statement.op.empty() || !statement.value || statement.value->kind != kernel::Expr::Kind::Binary)
    return 0;
  const std::string &op = statement.value->text;
  const Access &write = statement.accesses[std::size_t(statement.write)];
  for (std::size_t side = 0; side < statement.value->operands.size(); ++side) {
    const kernel::Expr &operand = *statement.value->operands[side];
    if (operand.kind != kernel::Expr::Kind::Read)
      continue;
    const Access &read = statement.accesses[std::size_t(operand.index)];
    if (read.buffer != write.buffer || !read.relation.is_equal(write.relation))
      continue;
    if (op == "+" || (op == "-" && side == 0))
      return '+';
    if (op == "*" || (op == "/" && side == 0))
      return '*';
  }
  return 0;
}

AllNestFacts factsOfNests(const Scheduled &kernel, const std::map<std::string, long> &values) {
  const std::optional<isl::set> sizes = sizesAt(kernel, values);
  if (!sizes) {
    std::vector<std::string> missing;
    for (const std::string &parameter : kernel.parameters)
      if (!values.count(parameter))
        missing.push_back(poly::displayed(parameter));
    return {{}, fmt::format("no value is given for {}", fmt::join(missing, ", "))};
  }
  const std::optional<isl::schedule> flagged = kernel::withFlags(kernel.schedule.tree, kernel.dependences);
  if (!flagged)
    return {{}, "its loops do not respect its dependences"};
  Scheduled withFlags = kernel;
  withFlags.schedule.tree = *flagged;
  AllNestFacts all;
  for (const std::vector<LoopNode> &nest : nestsOf(withFlags))
    all.nests.push_back(Finder(withFlags, *sizes, nest).made());
  return all;
}

NestFactsOutcome nestFacts(const Scheduled &kernel, const std::map<std::string, long> &values) {
  AllNestFacts all = factsOfNests(kernel, values);
  NestFactsOutcome best{std::nullopt, all.why};
  double most = 0;
  for (NestFacts &facts : all.nests) {
    double iterations = 1; // of its loops, or of some statement inside, which may be in further loops
    for (const NestFacts::Loop &loop : facts.loops)
      iterations *= double(loop.extent);
    for (const int s : iterations > 0 ? facts.statements : std::vector<int>{})
      iterations =
          std::max(iterations,
                   poly::leastPoints(poly::atValues(facts.kernel.statements[std::size_t(s)].domain, values)));
    if (iterations > most) {
      most = iterations;
      best.facts = std::move(facts);
    }
  }
  if (!best.facts && best.why.empty())
    best.why = "no loop of it has an iteration at these sizes";
  return best;
}

} // namespace pbc::search
