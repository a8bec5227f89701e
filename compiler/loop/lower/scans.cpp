// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A scan over the steps of a loop, by the items of a team.
//
//   for x = first; x < last [team] { P[x] = P[x - 1] + A[x] }
//   =>  for base = first; base < last; step team
//         x = base + lane; value = 0
//         if x < last { previous = x = first ? P[x - 1] : 0; value = previous + A[x] }
//         team0[slot] = value
//         for reach = 1; reach < team; step reach { each value += the value of the item `reach` lanes before }
//         if inside and x < last { P[x] = carry + value }
//         carry += the last item's value
//
// Where a team consists of whole warps, an item gets values of its warp from registers, and that of each warp before from the group's
// memory, which leaves two barriers for all steps of a team:
//
//         for reach = 1; reach < PB_WARP; step reach { before = shuffle(value, reach); value += before, if there is one }
//         the last item of a warp: team0[slot / PB_WARP] = value
//         barrier; value = the sum of the warps' before it + value
//
// There, a long scan goes through several rows of each warp at once, so that shuffles of one row need not wait for those of another, and
// fewer barriers are needed:
//
//         row[r] = the value of step base + warp's number * 8 * PB_WARP + r * PB_WARP + number in the warp
//         for reach ..: each row[r] as above; row[r] += the last item's row[r - 1], for r = 1 .. 7
//         the last item of a warp: team0[slot / PB_WARP] = row[7]; barrier; P[..] = carry + the warps' before it + row[r]
//
// In several parts: pass 1 leaves the sum of each part, for which its items have several sums side by side (accumulators.cpp), pass 2
// replaces it by the sum of the parts before, and pass 3 computes the cells, beginning with that sum.
#include "compiler/loop/lower/team_code.h"
#include "compiler/loop/walk.h"
#include <algorithm>

namespace pbc::loop {
namespace {

using Op = Arithmetic::Op;

/// Rows of a warp in one turn. With 8, an H100 is limited by its memory.
constexpr long kRows = 8;
constexpr Hint kUnrolled{.unrolling = Hint::Unrolling::Fully};

/// The scan's statement, if every step runs it: it stands in no loop and no branch.
const Assign *statementIn(const NodePtr &body, int statement) {
  for (const NodePtr &one : sequence(body)) {
    const Assign *own = as<Assign>(one);
    const Assign *found = as<Block>(one) ? statementIn(one, statement) : nullptr;
    if (own && own->statement == statement)
      return own;
    if (found)
      return found;
  }
  return nullptr;
}

/// What a step computes of the step before it, by name.
struct WithoutReads : Mutator {
  const std::set<int> &reads; // by access
  Expr previous;              // the first of these cells
  explicit WithoutReads(const std::set<int> &reads) : reads(reads) {}
  Expr expr(const Expr &e) override {
    const Element *cell = as<Element>(e);
    if (!cell || !reads.contains(cell->access))
      return Mutator::expr(e);
    if (!previous)
      previous = e;
    return index("previous");
  }
};

class ScanOf {
public:
  ScanOf(const For &loop, const Teams::Scan &scan, const TeamCode &code, std::string array,
         const Assign &statement)
      : loop_(loop), scan_(scan), code_(code), array_(std::move(array)), statement_(statement) {}

  NodePtr all(const std::function<NodePtr(const NodePtr &)> &step) const {
    std::vector<NodePtr> nodes{letNumber("first", loop_.begin), letNumber("last", endOf(loop_)),
                               variable("from", index("first")), variable("upto", index("last"))};
    if (code_.isWide()) {
      nodes.push_back(make({If{arithmetic(Op::And, {arithmetic(Op::Greater, {ofLaunch("parts"), integer(1)}),
                                                    grouped(TeamCode::isNoPass(kFoldPass))}),
                               ownPart(), nullptr}}));
      nodes.push_back(
          make({If{TeamCode::isPass(kFoldPass),
                   block({assignTo(index("from"), integer(0)), assignTo(index("upto"), ofLaunch("parts"))}),
                   nullptr}}));
    }
    NodePtr cells = scanned(step);
    if (code_.isWide())
      cells = make({If{TeamCode::isPass(kPartsPass), folded(step), cells}});
    nodes.push_back(std::move(cells));
    return scope(std::move(nodes));
  }

private:
  Scalar element() const { return scan_.with.element; }
  Expr ofPart(const std::string &part) const { return TeamCode::partial(element(), 0, index(part)); }
  Expr own() const { return code_.ofItem(array_, element()); }
  static NodePtr variable(const char *name, const Expr &value) {
    return make({Let{.variables = {{name, value}}, .isConstant = false}});
  }

  /// The steps of the group's part: whole rounds of the team.
  static NodePtr ownPart() {
    const auto quotient = [](const Expr &a, const Expr &b) {
      return arithmetic(Op::Divide, {grouped(subtract(add(a, b), integer(1))), b});
    };
    const Expr steps = maximum(subtract(index("last"), index("first")), integer(0));
    const Expr length =
        multiply(grouped(quotient(quotient(steps, ofLaunch("parts")), index("team"))), index("team"));
    const Expr begin = add(index("first"), multiply(index("part"), index("length")));
    return block({letNumber("length", length), assignTo(index("from"), minimum(begin, index("last"))),
                  assignTo(index("upto"), minimum(add(index("from"), index("length")), index("last")))});
  }

  /// Leaves the sum of the steps of the group's part.
  NodePtr folded(const std::function<NodePtr(const NodePtr &)> &step) const {
    const Expr i = index(loop_.iterator);
    const TeamSum sum{make(Expression{Local{"folded", element(), {}}}), scan_.with, array_};
    const For steps{loop_.iterator, add(index("from"), index("lane")), less(i, index("upto")), index("team"),
                    block({letValue("value", element(), neutral(scan_.with), false), ownValue(step),
                           assignTo(sum.local, combined(scan_.with, sum.local, index("value")))})};
    return block({make({Array{sum.name(), element(), {}}}), assignTo(sum.local, neutral(scan_.with)),
                  withAccumulators(steps, {sum}), foldedByTeam({sum}, code_),
                  make({If{code_.stores(), assignTo(ofPart("part"), sum.local), nullptr}})});
  }

  /// Computes the steps of the group's part, or in pass 2 the sums before the parts.
  NodePtr scanned(const std::function<NodePtr(const NodePtr &)> &step) const {
    std::vector<NodePtr> nodes{letValue("carry", element(), neutral(scan_.with), false)};
    if (code_.isWide())
      nodes.push_back(
          make({If{TeamCode::isPass(kCellsPass), assignTo(index("carry"), ofPart("part")), nullptr}}));
    const auto turns = [&](const Expr &each, const NodePtr &turn) {
      return make({For{"base", index("from"), less(index("base"), index("upto")), each, turn}});
    };
    NodePtr all = turns(index("team"), stepsOfTeam(step));
    if (Expr inRows = code_.areWarps()) {
      const Expr isLong =
          less(multiply(integer(2), index("team")), grouped(subtract(index("upto"), index("from"))));
      inRows = arithmetic(Op::And, {inRows, isLong});
      if (code_.isWide())
        inRows = arithmetic(Op::And, {inRows, grouped(TeamCode::isNoPass(kFoldPass))});
      all = make({If{inRows, turns(multiply(integer(kRows), index("team")), rowsOfWarps(step)), all}});
    }
    nodes.push_back(std::move(all));
    return block(std::move(nodes));
  }

  /// kRows values for each item.
  NodePtr rowsOfWarps(const std::function<NodePtr(const NodePtr &)> &step) const {
    const Expr i = index(loop_.iterator), r = index("r"), reach = index("reach"), warp = ofMachine("PB_WARP"),
               before = index("before"), lane = index("lane");
    const auto row = [&](const Expr &number) { return make(Expression{Local{"row", element(), {number}}}); };
    const auto ofRows = [&](long first, std::vector<NodePtr> body) {
      return make({For{
          "r", integer(first), less(r, integer(kRows)), nullptr, scope(std::move(body)), {}, kUnrolled}});
    };
    const NodePtr position = letNumber(loop_.iterator, add(index("mine"), multiply(r, warp)));
    const Expr exists = less(i, index("upto"));
    const Expr ownRow =
        multiply(grouped(arithmetic(Op::Divide, {lane, warp})), multiply(warp, integer(kRows)));
    // Then no row waits for what the one before it reads.
    const Expr areFull = arithmetic(
        Op::And, {less(index("first"), index("base")),
                  arithmetic(Op::LessEqual,
                             {add(index("base"), multiply(integer(kRows), index("team"))), index("upto")})});
    const Expr toLast = grouped(subtract(subtract(warp, integer(1)), inWarp()));
    return block(
        {letNumber("mine", add(index("base"), add(ownRow, arithmetic(Op::Modulo, {lane, warp})))),
         letValue("whole", element(), neutral(scan_.with), false),
         make({Array{"row", element(), {integer(kRows)}}}),
         make({If{
             areFull,
             ofRows(0, {position, letValue("value", element(), neutral(scan_.with), false),
                        ownValue(step, false), assignTo(row(r), index("value"))}),
             ofRows(0, {position, letValue("value", element(), neutral(scan_.with), false),
                        make({If{exists, ownValue(step), nullptr}}), assignTo(row(r), index("value"))})}}),
         make({For{"reach",
                   integer(1),
                   less(reach, warp),
                   reach,
                   ofRows(0, {make({Shuffle{"before", element(), row(r), reach, true}}),
                              make({If{arithmetic(Op::GreaterEqual, {inWarp(), reach}),
                                       assignTo(row(r), combined(scan_.with, before, row(r))), nullptr}})}),
                   {},
                   kUnrolled}}),
         ofRows(1, {make({Shuffle{"before", element(), row(subtract(r, integer(1))), toLast, false}}),
                    assignTo(row(r), combined(scan_.with, before, row(r)))}),
         sumsOfWarps(row(integer(kRows - 1))),
         letValue("ahead", element(), combined(scan_.with, index("carry"), index("prefix"))),
         ofRows(0, {position, letValue("sum", element(), combined(scan_.with, index("ahead"), row(r))),
                    make({If{arithmetic(Op::And, {code_.isInside(), exists}),
                             assignTo(statement_.target, index("sum")), nullptr}})}),
         assignTo(index("carry"), combined(scan_.with, index("carry"), index("whole"))), make({Barrier{}})});
  }

  static Expr inWarp() { return arithmetic(Op::Modulo, {index("slot"), ofMachine("PB_WARP")}); }

  /// The sum of a warp's values is `last` of its last item: declares `prefix`, the sum of the team's warps before the item's own, and adds
  /// all of them to `whole`.
  NodePtr sumsOfWarps(const Expr &last) const {
    const Expr warp = ofMachine("PB_WARP"), w = index("w"), whole = index("whole"), prefix = index("prefix");
    const Expr ownWarp = arithmetic(Op::Divide, {index("slot"), warp});
    const Expr number = add(index("firstWarp"), w);
    const auto added = [&](const Expr &sum) {
      return assignTo(sum, combined(scan_.with, sum, index("ofWarp")));
    };
    return block(
        {make({If{arithmetic(Op::Equal, {inWarp(), grouped(subtract(warp, integer(1)))}),
                  assignTo(TeamCode::ofWarp(array_, element(), ownWarp), last), nullptr}}),
         make({Barrier{}}), letValue("prefix", element(), neutral(scan_.with), false),
         letNumber("firstWarp",
                   arithmetic(Op::Divide, {grouped(subtract(index("slot"), index("lane"))), warp})),
         make({For{"w", integer(0), less(w, arithmetic(Op::Divide, {index("team"), warp})), nullptr,
                   scope({letValue("ofWarp", element(), TeamCode::ofWarp(array_, element(), number)),
                          make({If{less(number, ownWarp), added(prefix), nullptr}}), added(whole)})}})});
  }

  /// One value for each item.
  NodePtr stepsOfTeam(const std::function<NodePtr(const NodePtr &)> &step) const {
    const Expr i = index(loop_.iterator), value = index("value");
    NodePtr computed = ownValue(step);
    if (code_.isWide())
      computed = make({If{TeamCode::isPass(kFoldPass), assignTo(value, ofPart(loop_.iterator)), computed}});
    std::vector<NodePtr> nodes{letNumber(loop_.iterator, add(index("base"), index("lane"))),
                               letValue("value", element(), neutral(scan_.with), false),
                               make({If{less(i, index("upto")), computed, nullptr}}),
                               letValue("whole", element(), neutral(scan_.with), false)};
    const Expr areWarps = code_.areWarps();
    nodes.push_back(areWarps ? make({If{areWarps, throughWarps(), throughMemory()}}) : throughMemory());
    nodes.push_back(letValue("sum", element(), combined(scan_.with, index("carry"), value)));
    nodes.push_back(
        make({If{arithmetic(Op::And, {code_.isInside(), less(i, index("upto"))}), stored(), nullptr}}));
    nodes.push_back(assignTo(index("carry"), combined(scan_.with, index("carry"), index("whole"))));
    nodes.push_back(make({Barrier{}}));
    return block(std::move(nodes));
  }

  /// Leaves in `value` the sum of the team's values up to the item's own, or in the pass that folds parts, of those before it; and in
  /// `whole` the sum of all.
  NodePtr throughMemory() const {
    const Expr value = index("value");
    std::vector<NodePtr> nodes{assignTo(own(), value), reaches(), make({Barrier{}})};
    if (code_.isWide())
      nodes.push_back(make({If{TeamCode::isPass(kFoldPass),
                               make({If{TeamCode::isFirstLane(), assignTo(value, neutral(scan_.with)),
                                        assignTo(value, code_.ofItem(array_, element(), integer(-1)))}}),
                               nullptr}}));
    nodes.push_back(
        assignTo(index("whole"), code_.ofItem(array_, element(),
                                              subtract(subtract(index("team"), integer(1)), index("lane")))));
    return block(std::move(nodes));
  }

  /// The same by the registers of warps.
  NodePtr throughWarps() const {
    const Expr value = index("value"), before = index("before"), prefix = index("prefix"),
               reach = index("reach"), warp = ofMachine("PB_WARP");
    const auto shuffled = [&](const Expr &lanes) {
      return make({Shuffle{"before", element(), value, lanes, true}});
    };
    std::vector<NodePtr> nodes{
        make({For{"reach", integer(1), less(reach, warp), reach,
                  scope({shuffled(reach),
                         make({If{arithmetic(Op::GreaterEqual, {inWarp(), reach}),
                                  assignTo(value, combined(scan_.with, before, value)), nullptr}})})}}),
        sumsOfWarps(value), assignTo(value, combined(scan_.with, prefix, value))};
    if (code_.isWide())
      nodes.push_back(make(
          {If{TeamCode::isPass(kFoldPass),
              scope({shuffled(integer(1)), make({If{arithmetic(Op::Equal, {inWarp(), integer(0)}),
                                                    assignTo(value, prefix), assignTo(value, before)}})}),
              nullptr}}));
    return block(std::move(nodes));
  }

  NodePtr stored() const {
    NodePtr cell = assignTo(statement_.target, index("sum"));
    if (!code_.isWide())
      return cell;
    return make({If{TeamCode::isPass(kFoldPass), assignTo(ofPart(loop_.iterator), index("sum")), cell}});
  }

  /// Each item has the sum of 1, 2, 4, .. values up to its own.
  NodePtr reaches() const {
    const Expr reach = index("reach"), lane = index("lane");
    const Expr before =
        make({Local{array_,
                    element(),
                    {arithmetic(Op::Choose, {less(lane, reach), index("slot"),
                                             subtract(index("slot"), grouped(farBy(reach)))})}}});
    const NodePtr body = block(
        {make({Barrier{}}), letValue("before", element(), before), make({Barrier{}}),
         make({If{arithmetic(Op::GreaterEqual, {lane, reach}),
                  assignTo(index("value"), combined(scan_.with, index("before"), index("value"))), nullptr}}),
         assignTo(own(), index("value"))});
    return make({For{"reach", integer(1), less(reach, index("team")), reach, body}});
  }
  Expr farBy(const Expr &lanes) const {
    return code_.cells().areNeighbours ? multiply(lanes, code_.apart()) : lanes;
  }

  /// The first step begins with the cell before it, all others with nothing.
  NodePtr ownValue(const std::function<NodePtr(const NodePtr &)> &step, bool mayBeFirst = true) const {
    struct Instead : Mutator {
      const ScanOf &of;
      const std::function<NodePtr(const NodePtr &)> &step;
      const bool mayBeFirst;
      Instead(const ScanOf &of, const std::function<NodePtr(const NodePtr &)> &step, bool mayBeFirst)
          : of(of), step(step), mayBeFirst(mayBeFirst) {}
      NodePtr node(const NodePtr &n) override {
        const Assign *own = as<Assign>(n);
        if (as<Block>(n))
          return Mutator::node(n);
        return own && own->statement == of.scan_.statement ? of.ofStatement(mayBeFirst) : step(n);
      }
    };
    return Instead(*this, step, mayBeFirst).node(loop_.body);
  }

  NodePtr ofStatement(bool mayBeFirst) const {
    WithoutReads rest(scan_.previous);
    const Expr value = rest.expr(statement_.value);
    const NodePtr first = make({If{arithmetic(Op::Equal, {index(loop_.iterator), index("first")}),
                                   assignTo(index("previous"), rest.previous), nullptr}});
    return block({letValue("previous", element(), neutral(scan_.with), false), mayBeFirst ? first : block({}),
                  assignTo(index("value"), value)});
  }

  const For &loop_;
  const Teams::Scan &scan_;
  const TeamCode &code_;
  const std::string array_;
  const Assign &statement_;
};

} // namespace

NodePtr scanLoop(const For &loop, const Teams::Scan &scan, const TeamCode &code, const std::string &array,
                 const std::function<NodePtr(const NodePtr &)> &step) {
  const Assign *statement = statementIn(loop.body, scan.statement);
  return statement ? ScanOf(loop, scan, code, array, *statement).all(step) : nullptr;
}

} // namespace pbc::loop
