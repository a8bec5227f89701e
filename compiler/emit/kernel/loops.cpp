// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/loops.h"
#include "compiler/emit/dialect/cxx.h"
#include "compiler/emit/kernel/tile_text.h"
#include "compiler/loop/build.h"
#include "compiler/loop/strips.h"
#include "compiler/loop/verify.h"

namespace pbc::emit {
namespace {

class LoopPrinter : public CPrinter {
public:
  LoopPrinter(const loop::Nest &nest, const Place &place, const Dialect &dialect, Used &used)
      : CPrinter(nest.buffers, dialect, place.unitStride, used), place_(place) {}

  LoopText print(const loop::NodePtr &body) {
    std::string loops = text(body, "  ");
    return {std::move(types_), std::move(loops), {}};
  }

private:
  void blockOfPoints(const loop::BlockOfPoints &block, const std::string &indent) override {
    const std::string type = place_.function + "_tile" + std::to_string(tiles_++);
    const TileText tile = tileText(block, type, buffers_, place_, dialect_, used_.anyStride);
    types_ += tile.type;
    out_ += indent + "pb::runTiles(" + type + "{f, low, high";
    for (const std::string &name : tile.given)
      out_ += ", " + name;
    used_.buffers.insert(tile.buffers.begin(), tile.buffers.end());
    out_ += "}, ";
    put(block.yBegin);
    out_ += ", ";
    put(block.yEnd);
    out_ += ");\n";
  }

  const Place &place_;
  std::string types_;
  int tiles_ = 0;
};

/// Checks the tree before and after, in builds that check.
loop::Lowered lowerNest(const loop::Nest &nest, const loop::Target &target) {
#ifdef PBC_VERIFY
  loop::verify(nest.body, loop::Stage::Built);
#endif
  loop::Lowered lowered = loop::lower(nest, target);
#ifdef PBC_VERIFY
  loop::verify(lowered.body, loop::Stage::Lowered);
#endif
  return lowered;
}

} // namespace

LoopText printLoops(const loop::Nest &nest, const Place &place, Used &used) {
  loop::Lowered lowered = lowerNest(
      nest, {.unitStride = place.unitStride, .mayShareViews = place.mayShareViews, .streams = true});
  const Cxx dialect;
  if (place.unitStride)
    used.anyStride = loop::ofAnyStrides(lowered.body, nest.buffers);
  LoopText text = LoopPrinter(nest, place, dialect, used).print(lowered.body);
  text.left = std::move(lowered.left);
  return text;
}

DeviceLoopText deviceLoops(const loop::Nest &nest, const Dialect &dialect, Used &used) {
  CPrinter printer(nest.buffers, dialect, false, used);
  loop::Lowered lowered = lowerNest(nest, {.unitStride = false, .isDevice = true});
  DeviceLoopText text{"", "", std::move(lowered.sharedOut), lowered.body};
  for (const loop::NodePtr &one : loop::sequence(lowered.body)) {
    const loop::Array *array = loop::as<loop::Array>(one);
    const bool isOfGroup = array && array->space == loop::Array::Space::Group;
    (isOfGroup ? text.arrays : text.loops) += printer.text(one, "  ");
  }
  return text;
}

namespace {

/// ", A_p, C_p": where the matrices begin that the loops read and do not write.
std::string inputsOf(const std::vector<loop::Matrix> &buffers, const Used &used) {
  std::string text;
  for (const int b : used.buffers)
    if (const loop::Matrix &m = buffers[static_cast<std::size_t>(b)]; m.isInput)
      text += ", " + m.name + "_p";
  return text;
}

} // namespace

std::string definitions(const std::vector<loop::Matrix> &buffers, const Place &place, const Used &used) {
  std::string text;
  for (const std::string &v : used.values)
    text += "  [[maybe_unused]] const auto " + v + "_v = f.v_" + v + ";\n";
  for (int k = 0; k < used.tasks; ++k) {
    const std::string n = std::to_string(k);
    text += "  [[maybe_unused]] const long low" + n + " = low[" + n + "], high" + n + " = high[" + n + "];\n";
  }
  for (const auto &[b, d] : used.strides) {
    const std::string &name = buffers[static_cast<std::size_t>(b)].name;
    text += "  [[maybe_unused]] const long " + name + "_s" + std::to_string(d) + " = " +
            (place.unitStride && d == 0 && !used.anyStride.contains(b)
                 ? "1"
                 : "f.m_" + name + ".strides()[" + std::to_string(d) + "]") +
            ";\n";
  }
  for (const auto &[b, always] : used.streamed) {
    const std::string &name = buffers[static_cast<std::size_t>(b)].name;
    text += "  const pb::StreamingStores " + name + "_q(f.m_" + name +
            (always                ? ", pb::StreamingStores::When::Always"
             : place.mayShareViews ? ", pb::StreamingStores::When::Large" + inputsOf(buffers, used)
                                   : "") +
            ");\n";
  }
  return text;
}

} // namespace pbc::emit
