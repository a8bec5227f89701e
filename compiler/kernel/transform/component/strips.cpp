// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/component/strips.h"
#include "compiler/kernel/cooperate.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/policy/group_rows.h"
#include "compiler/kernel/transform/component/component.h"
#include "compiler/kernel/transform/group_copies.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

constexpr long kLength = 16; // of a strip, unless the script says otherwise

long bytesOfElement(const Scheduled &kernel, const std::string &matrix) {
  return static_cast<long>(
      bytesOf(kernel.buffers[static_cast<std::size_t>(bufferIndex(kernel, matrix))].element));
}

struct Strip {
  std::optional<CopyRequest> copy;
  std::string why;      // there is none
  std::size_t ways = 1; // in which reads of the matrix move; known if one was asked for
};

/// What a group copies of a matrix in the steps of a loop: cells that move with the loop, and with the items along one of the axes of
/// their blocks, so that all items along the other axis share them.
Strip stripOf(const Scheduled &kernel, const std::string &matrix, const std::string &at, long access) {
  const GroupBox box = groupBox(kernel, {.matrix = matrix, .at = at, .access = access});
  if (!box.why.empty())
    return {{}, box.why, box.ways};
  // Along axes without blocks, of which groups have few items, more dimensions may move.
  const auto moves = [](const GroupDimension &d) { return d.axis >= 0 && d.isBlock; };
  const auto count = std::count_if(box.dimensions.begin(), box.dimensions.end(), moves);
  const auto moving = std::find_if(box.dimensions.begin(), box.dimensions.end(), moves);
  const bool isStrip = std::any_of(box.dimensions.begin(), box.dimensions.end(),
                                   [](const GroupDimension &d) { return d.axis < 0 && d.extent > 1; });
  if (count != 1 || !isStrip)
    return {{},
            fmt::format("what a step of it reads of `{}` is not shared by neighbouring items", matrix),
            box.ways};
  CopyRequest copy{.matrix = matrix, .at = at, .access = access};
  copy.isTransposed =
      moving != box.dimensions.begin() && !isReadAlongSteps(box, *moving, bytesOfElement(kernel, matrix));
  layRows(copy, box, bytesOfElement(kernel, matrix));
  return {copy, "", box.ways};
}

/// Copies what the steps of a loop read of a matrix: all of it, or if that is no strip, as much as is one. A sentence if there is nothing.
std::string stageStrips(Combined &writing, const std::string &matrix, const std::string &at, long buffers) {
  const auto stage = [&](Strip strip) {
    if (strip.copy)
      strip.copy->buffers = buffers;
    return strip.copy && writing.add(stageStep(*strip.copy));
  };
  const Strip whole = stripOf(writing.kernel(), matrix, at, 0);
  if (stage(whole))
    return "";
  const std::string why = whole.copy ? writing.why() : whole.why;
  bool isAny = false;
  for (long access = 1;;) { // a read that has a copy is not numbered any more
    const Strip strip = stripOf(writing.kernel(), matrix, at, access);
    const bool isOnly = !isAny && strip.ways < 2; // it was asked for above
    if (isOnly || static_cast<std::size_t>(access) > strip.ways)
      return isAny ? "" : why;
    if (stage(strip))
      isAny = true;
    else
      ++access;
  }
}

/// The loops of strips that are to be completed: all, or those of which the loop inside is named.
std::vector<std::string> stripsToComplete(const Scheduled &kernel, const std::vector<std::string> &named) {
  std::vector<std::string> all;
  for (const StripLoops &loops : stripLoops(kernel))
    if ((named.empty() || std::find(named.begin(), named.end(), loops.inside) != named.end()) &&
        std::find(all.begin(), all.end(), loops.strips) == all.end())
      all.push_back(loops.strips);
  return all;
}

/// Gives the copies in strips that have been made so many buffers; whether that changes any. It changes no loop and no dependence.
bool addBuffers(Scheduled &kernel, const std::string &strips, long buffers) {
  bool isAny = false;
  for (const int s : statementsBelow(kernel, *findLoop(kernel.schedule.tree, strips)))
    if (const std::optional<GroupCopy> &copy = kernel.statements[static_cast<std::size_t>(s)].copy) {
      Buffer &memory = kernel.buffers[static_cast<std::size_t>(copy->to)];
      if (memory.role != Buffer::Role::Group || memory.buffers >= buffers)
        continue;
      memory.buffers = static_cast<int>(buffers);
      isAny = true;
    }
  return isAny;
}

/// Lets groups copy what the strips lack; whether there is anything.
bool complete(Scheduled &kernel, const std::string &strips, long buffers) {
  Combined steps(kernel);
  bool isAny = false;
  for (const std::string &matrix : inputsOf(kernel))
    isAny |= stageStrips(steps, matrix, strips, buffers).empty();
  kernel = steps.kernel();
  return addBuffers(kernel, strips, buffers) || isAny;
}

Outcome applyStrips(const Scheduled &kernel, const Arguments &arguments) {
  if (!hasBlocks(kernel.schedule.tree))
    return {
        std::nullopt,
        itemLoops(kernel.schedule.tree).empty()
            ? "its points have no items, whose groups could copy strips: `items(; each = block)` comes first"
            : "its items have one point each, so that strips would be read too seldom: `items(; each = "
              "block)`"};
  const std::vector<std::string> named = arguments.names("loops"),
                                 loops = named.empty() ? longLoops(kernel) : named;
  const long length = arguments.number("length").value_or(kLength),
             buffers = arguments.number("buffers").value_or(1);
  std::string why = loops.empty() ? kNoLongLoop : "";
  Scheduled made = kernel;
  bool isAny = false;
  for (const std::string &strips : stripsToComplete(kernel, named))
    isAny |= complete(made, strips, buffers);
  for (const std::string &loop : loops) {
    StripsOutcome strips = withStrips(made, loop, length, buffers);
    if (!strips.kernel && why.empty())
      why = fmt::format("its loop over `{}`: {}", loop, strips.why);
    if (!strips.kernel)
      continue;
    made = std::move(*strips.kernel);
    isAny = true;
  }
  return isAny ? Outcome{std::move(made), ""} : Outcome{std::nullopt, std::move(why)};
}

/// Writes out the loop, or so many of its steps at a time.
bool writeOut(Combined &steps, const std::string &loop, std::optional<long> atOnce) {
  const isl::schedule &tree = steps.kernel().schedule.tree;
  const std::optional<long> all = tripCount(steps.kernel(), *findLoop(tree, loop));
  if (!atOnce || !all || *all <= *atOnce)
    return steps.add(script::step("unroll", {loop}));
  Combined attempt = steps; // a loop that cannot be written out stays as it is
  script::Step tile = script::step("tile", {loop}, {*atOnce});
  tile.results = {freshLabel(tree, loop + "s"), loop};
  const bool isDone = attempt.add(tile) && attempt.add(script::step("unroll", {loop}));
  if (isDone)
    steps = std::move(attempt);
  return isDone;
}

Outcome applyFullStrips(const Scheduled &kernel, const Arguments &arguments) {
  Combined steps(kernel);
  bool isAny = false;
  for (const StripLoops &loops : stripLoops(kernel)) {
    if (findLoop(steps.kernel().schedule.tree, loops.inside)->how)
      continue;
    script::Step separate = script::step("separate", {loops.inside});
    with(separate, "at", script::name(loops.strips));
    // In a loop of their own, the next strip can be copied meanwhile. Both are refused where all strips are full, or none is.
    script::Step apart = separate;
    if (!steps.add(with(apart, "apart", script::name("loops"))))
      steps.add(separate);
    isAny |= writeOut(steps, loops.inside, arguments.number("steps"));
  }
  if (isAny)
    return steps.done();
  return {std::nullopt, stripLoops(kernel).empty()
                            ? "no loop has strips that groups copy: `strips()` makes them"
                            : "no strip has all of its steps for all items of a group"};
}

} // namespace

std::vector<std::string> inputsOf(const Scheduled &kernel) {
  std::vector<std::string> all;
  for (const Buffer &b : kernel.buffers)
    if (b.role == Buffer::Role::Input && b.rank > 0)
      all.push_back(b.name);
  return all;
}

script::Step stageStep(const CopyRequest &copy) {
  script::Step step = script::step("stage", {copy.matrix});
  if (!copy.at.empty())
    with(step, "at", script::name(copy.at));
  if (copy.isTransposed)
    with(step, "layout", script::name("transposed"));
  if (copy.pad)
    with(step, "pad", script::number(copy.pad));
  if (copy.parts > 1)
    with(with(step, "parts", script::number(copy.parts)), "gap", script::number(copy.gap));
  if (copy.buffers > 1)
    with(step, "buffers", script::number(copy.buffers));
  if (copy.access)
    with(step, "access", script::number(copy.access));
  return step;
}

std::vector<std::string> longLoops(const Scheduled &kernel) {
  std::vector<std::string> all;
  const std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
  for (const LoopNode &loop : loops) {
    const int d = memberDimension(kernel, loop.band);
    const Statement &first =
        kernel.statements[static_cast<std::size_t>(statementsBelow(kernel, loop).front())];
    const bool hasInner = std::any_of(loops.begin(), loops.end(), [&](const LoopNode &other) {
      return other.label != loop.label && isAround(loop, other);
    });
    if (!loop.how && d >= first.freeCount && !hasInner && !tripCount(kernel, loop))
      all.push_back(loop.label);
  }
  return all;
}

std::vector<StripLoops> stripLoops(const Scheduled &kernel) {
  std::vector<StripLoops> all;
  const std::vector<LoopNode> loops = loopsOf(kernel.schedule.tree);
  for (std::size_t s = 0; s < kernel.statements.size(); ++s) {
    const Statement &fill = kernel.statements[s];
    if (!fill.copy || kernel.buffers[static_cast<std::size_t>(fill.copy->to)].role != Buffer::Role::Group)
      continue;
    for (const LoopNode &at : loops) { // cases of a loop have the copies of all of them
      const std::vector<int> below = statementsBelow(kernel, at);
      if (at.how || std::find(below.begin(), below.end(), static_cast<int>(s)) == below.end())
        continue;
      for (const LoopNode &inside : loops)
        if (isAround(at, inside) && tripCount(kernel, inside) &&
            std::none_of(all.begin(), all.end(),
                         [&](const StripLoops &l) { return l.inside == inside.label; }))
          all.push_back({at.label, inside.label});
    }
  }
  return all;
}

std::vector<StripLoops> stripsWithTriangles(const Scheduled &kernel, const std::string &matrix) {
  const int buffer = bufferIndex(kernel, matrix);
  const auto readsCopy = [&](int s) {
    const std::vector<Access> &accesses = kernel.statements[static_cast<std::size_t>(s)].accesses;
    return std::any_of(accesses.begin(), accesses.end(), [&](const Access &a) {
      return std::any_of(kernel.statements.begin(), kernel.statements.end(), [&](const Statement &fill) {
        return fill.copy && fill.copy->from == buffer && fill.copy->to == a.buffer;
      });
    });
  };
  std::vector<StripLoops> all;
  const std::vector<LoopNode> items = itemLoops(kernel.schedule.tree);
  for (StripLoops &loops : stripLoops(kernel)) {
    const LoopNode inside = *findLoop(kernel.schedule.tree, loops.inside);
    const std::vector<int> below = statementsBelow(kernel, inside);
    const bool moves = std::any_of(items.begin(), items.end(),
                                   [&](const LoopNode &item) { return boundsMove(kernel, inside, item); });
    if (moves && !inside.how && std::any_of(below.begin(), below.end(), readsCopy))
      all.push_back(std::move(loops));
  }
  return all;
}

std::string noTriangleInStrips(const Scheduled &kernel, const std::string &matrix) {
  return stripLoops(kernel).empty()
             ? fmt::format("the triangle of `{}` is in no strips that groups copy", matrix)
             : fmt::format("no loop inside of strips makes a triangle of `{}`, or it is written out already",
                           matrix);
}

StripsOutcome withStrips(const Scheduled &kernel, const std::string &loop, long length, long buffers) {
  StripsOutcome made;
  Combined steps(kernel);
  script::Step tile = script::step("tile", {loop}, {length});
  made.strips = freshLabel(kernel.schedule.tree, loop + "t");
  tile.results = {made.strips, loop};
  if (!steps.add(tile)) {
    made.why = steps.why();
    return made;
  }
  bool hasStrips = false;
  for (const std::string &matrix : inputsOf(kernel)) {
    const std::string none = stageStrips(steps, matrix, made.strips, buffers);
    hasStrips |= none.empty();
    if (made.why.empty())
      made.why = none;
  }
  if (!hasStrips)
    return made;
  made.kernel = steps.kernel();
  made.steps = steps.steps();
  return made;
}

Outcome withStripsOfBothHalves(const Scheduled &kernel, const std::string &loop, const std::string &matrix,
                               Half stored) {
  Combined steps(kernel);
  script::Step tile = script::step("tile", {loop}, {kLength});
  tile.results = {freshLabel(kernel.schedule.tree, loop + "t"), loop};
  if (!steps.add(tile))
    return steps.refused();
  Strip strip = stripOf(steps.kernel(), matrix, tile.results.front(), 0);
  if (!strip.copy)
    return {std::nullopt, strip.why};
  strip.copy->stored = stored;
  return withGroupCopy(steps.kernel(), *strip.copy);
}

Transformation stripsTransformation() {
  using Kind = Parameter::Kind;
  return {.name = "strips",
          .doc = "lets groups copy what loops read in strips of their steps, so that items share it",
          .parameters = {{.name = "loops",
                          .kind = Kind::Names,
                          .doc = "the loops; all whose length only the sizes say, if none is named",
                          .isOptional = true},
                         {.name = "length",
                          .kind = Kind::Integer,
                          .doc = "the steps of a strip, 16 unless it is given",
                          .least = 1,
                          .most = 128,
                          .isOptional = true},
                         {.name = "buffers",
                          .kind = Kind::Integer,
                          .doc = "with 2, the next strip is copied while items read this one",
                          .least = 1,
                          .most = 2,
                          .isOptional = true}},
          .apply = applyStrips,
          .target = Target::Device};
}

Transformation fullStripsTransformation() {
  return {.name = "full_strips",
          .doc = "writes out the steps of full strips, which are computed apart from the others",
          .parameters = {{.name = "steps",
                          .kind = Parameter::Kind::Integer,
                          .doc = "how many are written out at a time; all, unless it is given",
                          .least = 1,
                          .most = 128,
                          .isOptional = true}},
          .apply = applyFullStrips,
          .stage = Stage::Points,
          .target = Target::Device};
}

} // namespace pbc::kernel
