// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/loops.h"
#include "compiler/emit/dialect/cxx.h"
#include "compiler/emit/kernel/tile_text.h"
#include "compiler/loop/build.h"
#include "compiler/loop/served_statements.h"
#include "compiler/loop/strips.h"
#include "compiler/loop/verify.h"
#include <algorithm>

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

/// Notes for which statement each line is. A line without one is for the statement of what it stands in.
class LinePrinter : public CPrinter {
public:
  LinePrinter(const loop::Nest &nest, const Dialect &dialect, Used &used,
              const loop::ServedStatements &served)
      : CPrinter(nest.buffers, dialect, false, used), served_(served) {}

  std::string print(const loop::NodePtr &node) {
    counted_ = 0;
    lines_ = statements_.size();
    return text(node, "  ");
  }
  std::vector<int> takeStatements() { return std::move(statements_); }

private:
  void print(const loop::NodePtr &node, const std::string &indent) override {
    const std::size_t first = lines();
    CPrinter::print(node, indent);
    statements_.resize(lines(), loop::ServedStatements::kNone);
    const int own = std::visit([this](const auto &kind) { return statementOf(kind); }, node->as);
    for (std::size_t line = first; line < statements_.size(); ++line)
      if (statements_[line] == loop::ServedStatements::kNone)
        statements_[line] = own;
  }

  template <class Kind>
  int statementOf(const Kind &kind) const {
    if constexpr (requires { served_.of(kind); })
      return served_.of(kind);
    return loop::ServedStatements::kNone;
  }
  /// One line declares variables of one kind: that of the first one which is for a statement.
  int statementOf(const loop::Let &let) const {
    for (const loop::Let::Variable &v : let.variables)
      if (const int statement = served_.of(v); statement != loop::ServedStatements::kNone)
        return statement;
    return loop::ServedStatements::kNone;
  }

  /// How many lines were printed.
  std::size_t lines() {
    lines_ += static_cast<std::size_t>(
        std::count(out_.begin() + static_cast<std::ptrdiff_t>(counted_), out_.end(), '\n'));
    counted_ = out_.size();
    return lines_;
  }

  const loop::ServedStatements &served_;
  std::vector<int> statements_;
  std::size_t lines_ = 0, counted_ = 0; // lines before this place in the text
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
  loop::Lowered lowered = lowerNest(nest, {.unitStride = false, .isDevice = true});
  const loop::ServedStatements served(lowered.body, nest.buffers);
  CPrinter ofGroups(nest.buffers, dialect, false, used);
  LinePrinter others(nest, dialect, used, served);
  DeviceLoopText text{"", "", {}, std::move(lowered.sharedOut), lowered.body};
  for (const loop::NodePtr &one : loop::sequence(lowered.body)) {
    const loop::Array *array = loop::as<loop::Array>(one);
    if (array && array->space == loop::Array::Space::Group)
      text.arrays += ofGroups.text(one, "  ");
    else
      text.loops += others.print(one);
  }
  text.statements = others.takeStatements();
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
    std::string stride = "f.m_" + name + ".strides()[" + std::to_string(d) + "]";
    if (place.unitStride && d == 0 && !used.anyStride.contains(b))
      stride = "1";
    else if (const auto row = place.shortRows.find(b);
             place.unitStride && d == 1 && row != place.shortRows.end())
      stride = std::to_string(row->second);
    text += "  [[maybe_unused]] const long " + name + "_s" + std::to_string(d) + " = " + stride + ";\n";
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
