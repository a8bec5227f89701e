// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/device/device_leaf.h"
#include "compiler/emit/dialect/device_c.h"
#include "compiler/emit/kernel/device_text.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/poly/at_values.h"
#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace pbc::search {
namespace {

using kernel::Scheduled;

class LeafMaker {
public:
  LeafMaker(const Scheduled &kernel, const Arrays &arrays, const DeviceProgram &program)
      : kernel_(kernel), arrays_(arrays), program_(program),
        values_(arrays.sizes.begin(), arrays.sizes.end()) {}

  DeviceLeafOutcome make(long localBytes) {
    if (const std::string why = whyNoLeaf(); !why.empty())
      return {std::nullopt, why};
    findBox();
    kernel::OnDevice launch;
    launch.items = kernel::Items{kernel_, kernel_};
    launch.versions.push_back({.name = "leaf", .kernel = kernel_});
    const emit::DeviceText text = emit::deviceText(launch, "pb_leaf", {}, emit::DeviceC());
    if (text.versions.empty())
      return {std::nullopt, "its loops cannot be printed for devices"};
    const emit::DeviceText::Version &version = text.versions.front();
    if (!version.maps.empty() || version.rows)
      return {std::nullopt, "it is more than one launch"};
    std::vector<long> sizes;
    std::string built;
    for (const kernel::SizeOfBuild &s : version.sizes) {
      sizes.push_back(values_.at(s.size));
      built += fmt::format("#define PB_V{} {}\n", text.placeOf(s), sizes.back());
    }
    const long bytes =
        emit::localBytes(version.localArrays, program_.group.data(), program_.cells.data(), sizes);
    DeviceLeaf leaf{
        {.text = formOf(version) + built + version.text, .entry = text.entry}, grid(), arguments(text)};
    std::copy(program_.group.begin(), program_.group.end(), leaf.source.group);
    leaf.source.dynamicBytes = bytes > localBytes ? bytes : 0;
    return {std::move(leaf), ""};
  }

private:
  std::string whyNoLeaf() const {
    const isl::schedule &tree = kernel_.schedule.tree;
    if (kernel::roundsOf(kernel_.schedule) > 0)
      return "it is launched in rounds";
    if (kernel::hasTeams(tree) || kernel::workInGroups(tree) || kernel_.schedule.steps)
      return "its groups compute cells together";
    if (kernel_.schedule.taskDimensions.size() > program_.group.size())
      return "it has more than three dimensions of items";
    return "";
  }

  void findBox() {
    for (const kernel::TaskDimension &d : kernel_.schedule.taskDimensions) {
      low_.push_back(poly::atValues(d.low, values_));
      high_.push_back(std::max(low_.back(), poly::atValues(d.high, values_)));
    }
  }

  /// As runtime/device/manager.cpp has it.
  pb::device::Grid grid() const {
    pb::device::Grid grid;
    const bool hasRuns = kernel::hasRuns(kernel_.schedule.tree);
    for (std::size_t k = 0; k < program_.group.size(); ++k) {
      long points = k < low_.size() ? high_[k] - low_[k] : 1;
      const long cells = program_.cells[k], group = program_.group[k];
      if (k == 0 && hasRuns && !low_.empty()) // the run in which the first cell lies
        points += (low_[0] % cells + cells) % cells;
      const long items = (points + cells - 1) / cells;
      grid.group[k] = program_.group[k];
      grid.items[k] = (items + group - 1) / group * group;
    }
    return grid;
  }

  /// The macros of runtime/device/kernel_form.h, and the points of an item.
  std::string formOf(const emit::DeviceText::Version &version) const {
    return fmt::format(
        "#define PB_UNIT 1\n{}#define PB_INDEX {}\n#define PB_C0 {}\n#define PB_C1 {}\n#define PB_C2 {}\n",
        isWide() ? "#define PB_WIDE 1\n" : "", isNarrow(version.narrow) ? "int" : "long", program_.cells[0],
        program_.cells[1], program_.cells[2]);
  }

  bool isWide() const {
    constexpr long kBytes = 16;
    const bool hasRuns = kernel::hasRuns(kernel_.schedule.tree);
    return std::all_of(arrays_.all.begin(), arrays_.all.end(), [&](const Array &a) {
      const auto isWhole = [&](long cells) { return cells * long(kernel::bytesOf(a.element)) % kBytes == 0; };
      return a.extents.empty() ||
             (isWhole(a.extents[0]) && (hasRuns || std::all_of(low_.begin(), low_.end(), isWhole)));
    });
  }

  bool isNarrow(long most) const {
    const auto fits = [&](long value) { return std::abs(value) <= most; };
    return most > 0 && std::all_of(low_.begin(), low_.end(), fits) &&
           std::all_of(high_.begin(), high_.end(), fits) &&
           std::all_of(values_.begin(), values_.end(), [&](const auto &v) { return fits(v.second); }) &&
           std::all_of(arrays_.all.begin(), arrays_.all.end(),
                       [](const Array &a) { return a.cells() <= INT_MAX / 2; });
  }

  /// In the order of emit::DeviceText's signature: matrices with offset and strides, values, extents, limits.
  std::vector<LeafArgument> arguments(const emit::DeviceText &text) const {
    std::vector<LeafArgument> all;
    const auto number = [&](long value) { all.push_back({.value = value}); };
    for (const kernel::Buffer &b : kernel_.buffers) {
      if (!kernel::isMatrix(b))
        continue;
      const Array &array = arrayOf(b);
      all.push_back({int(&array - arrays_.all.data()), array.isResult, 0});
      number(0);
      long stride = 1;
      for (int d = 0; d < b.rank; ++d) {
        number(stride);
        stride *= array.extents[std::size_t(d)];
      }
    }
    for (const std::string &name : text.values)
      number(values_.at(name));
    for (const auto &[b, d] : text.extents)
      number(arrayOf(kernel_.buffers[std::size_t(b)]).extents[std::size_t(d)]);
    for (std::size_t k = 0; k < low_.size(); ++k)
      number(low_[k]), number(high_[k]);
    return all;
  }

  const Array &arrayOf(const kernel::Buffer &b) const {
    return *std::find_if(arrays_.all.begin(), arrays_.all.end(),
                         [&](const Array &a) { return a.name == b.name; });
  }

  const Scheduled &kernel_;
  const Arrays &arrays_;
  const DeviceProgram &program_;
  const std::map<std::string, long> values_;
  std::vector<long> low_, high_; // of the launch's points
};

} // namespace

std::string lineOf(const DeviceProgram &p) {
  return fmt::format("{}; groups of {} x {} x {}, {} x {} x {} points an item", script::line(p.steps),
                     p.group[0], p.group[1], p.group[2], p.cells[0], p.cells[1], p.cells[2]);
}

DeviceLeafOutcome deviceLeaf(const Scheduled &lifted, const Arrays &arrays, const DeviceProgram &program,
                             long localBytes) {
  Scheduled start = lifted;
  start.schedule.target = kernel::Target::Device;
  const kernel::ScriptOutcome made = kernel::run(program.steps, start, kernel::Mode::Strict);
  if (!made.failed.empty())
    return {std::nullopt,
            fmt::format("step {}, `{}`, does not apply: {}", made.failed[0].index + 1,
                        script::line({program.steps[made.failed[0].index]}), made.failed[0].problem.what)};
  return LeafMaker(made.kernel, arrays, program).make(localBytes);
}

} // namespace pbc::search
