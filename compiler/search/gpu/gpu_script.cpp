// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/gpu_script.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

namespace pbc::search {
namespace {

class ProgramMaker {
public:
  ProgramMaker(const GpuNestSpace &nest, const State &leaf)
      : nest_(nest), space_(*nest.gpu.space), leaf_(leaf) {}

  GpuProgramOutcome make() {
    for (const GpuNestSpace::Loop &loop : nest_.loops)
      loop.isOfSum ? addSumLoop(loop) : addItemLoop(loop);
    for (const int sum : nest_.sums)
      if (placeOf(sum) != Place::Register)
        refuse("sums of items lie in registers");
    for (std::size_t access = 0; access < space_.structure().accesses.size(); ++access)
      if (const Cache cache = Cache(std::countr_zero(leaf_.domain(space_.cache(int(access)))));
          cache != (nest_.gpu.work.accesses[access].isWrite ? Cache::Second : Cache::First) &&
          !nest_.gpu.work.arrays[std::size_t(nest_.gpu.work.accesses[access].array)].isWritten)
        refuse("there is no step for caches");
    const bool hasBlocks =
        std::any_of(made_.points.begin(), made_.points.end(), [](long points) { return points > 1; });
    script::Step items = script::step("items", {});
    if (hasBlocks)
      script::with(items, "each", script::name("block"));
    made_.steps.insert(made_.steps.begin(), std::move(items));
    for (const GpuNestSpace::Load &load : nest_.loads)
      addLoad(load);
    if (!why_.empty())
      return {std::nullopt, why_};
    return {std::move(made_), ""};
  }

private:
  void refuse(std::string why) {
    if (why_.empty())
      why_ = std::move(why);
  }
  Kind kindOf(int d) const { return Kind(std::countr_zero(leaf_.domain(space_.kind(d)))); }
  Place placeOf(int communication) const {
    return Place(std::countr_zero(leaf_.domain(space_.place(communication))));
  }
  long sizeOf(int d) const {
    const int size = space_.structure().dimension(d).size;
    return space_.structure()
        .sizes[std::size_t(size)]
        .values[std::size_t(std::countr_zero(leaf_.domain(space_.size(size))))];
  }
  bool isAround(int outer, int object) const {
    return space_.order(leaf_, outer, object) == OrderSet(Order::Outside);
  }

  /// Blocks, threads, and points of an item, each at most once and in this order.
  void addItemLoop(const GpuNestSpace::Loop &loop) {
    constexpr Kind kinds[] = {Kind::Block, Kind::Thread, Kind::Unroll};
    long sizes[] = {1, 1, 1};
    std::size_t next = 0;
    for (const int d : loop.levels) {
      const auto *at = std::find(kinds + next, kinds + 3, kindOf(d));
      if (at == kinds + 3) {
        refuse(fmt::format("the levels of `{}` are not blocks, threads and points written out", loop.label));
        return;
      }
      sizes[at - kinds] = sizeOf(d);
      next = std::size_t(at - kinds) + 1;
    }
    if (kindOf(loop.levels.front()) != Kind::Block)
      refuse(fmt::format("`{}` has no blocks", loop.label));
    made_.items.push_back(sizes[1]);
    made_.points.push_back(sizes[2]);
  }

  void addSumLoop(const GpuNestSpace::Loop &loop) {
    if (loop.levels.size() == 1)
      return;
    if (kindOf(loop.levels.front()) != Kind::For)
      refuse(fmt::format("the strips of `{}` are no loop", loop.label));
    script::Step tile = script::step("tile", {loop.label}, {sizeOf(loop.levels[1])});
    tile.results = {loop.label + "_0", loop.label + "_1"};
    made_.steps.push_back(std::move(tile));
  }

  void addLoad(const GpuNestSpace::Load &load) {
    const Place place = placeOf(load.communication);
    if (place == Place::Register)
      return;
    // Inside of the strips of one loop, and of no other loop of the sum.
    const GpuNestSpace::Loop *strips = nullptr;
    for (const GpuNestSpace::Loop &loop : nest_.loops)
      if (loop.isOfSum && loop.levels.size() > 1 && isAround(loop.levels.front(), load.object))
        strips = &loop;
    if (place != Place::Shared || !strips || isAround(strips->levels[1], load.object)) {
      refuse(fmt::format("the copy of `{}` is not one of a group in the strips of a loop", load.matrix));
      return;
    }
    script::Step stage = script::step("stage", {load.matrix});
    script::with(stage, "at", script::name(strips->label + "_0"));
    made_.steps.push_back(std::move(stage));
  }

  const GpuNestSpace &nest_;
  const Space &space_;
  const State &leaf_;
  GpuProgram made_;
  std::string why_;
};

} // namespace

GpuProgramOutcome gpuProgramOf(const GpuNestSpace &nest, const State &leaf) {
  return ProgramMaker(nest, leaf).make();
}

} // namespace pbc::search
