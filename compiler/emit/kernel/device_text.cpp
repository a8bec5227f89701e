// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/device_text.h"
#include "compiler/emit/dialect/device_c.h"
#include "compiler/emit/kernel/device_groups.h"
#include "compiler/emit/kernel/loops.h"
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/loop/build.h"
#include "compiler/loop/narrow.h"
#include "compiler/loop/tile_loops.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::emit {

using kernel::Buffer;

namespace {

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

class Printer {
public:
  Printer(const kernel::OnDevice &device, const std::string &entry, const std::set<std::string> &reals)
      : device_(device), reals_(reals), functions_(device.items->kernel.schedule.taskDimensions.size()),
        rounds_(device.items->inRounds() ? 1 : 0) {
    out_.entry = entry;
  }

  DeviceText print() {
    Used used;
    std::vector<DeviceText::Version> ofScripts;
    for (const kernel::DeviceVersion &v : device_.versions)
      if (auto version = v.exists() ? ofScript(v, used) : std::nullopt)
        ofScripts.push_back(std::move(*version));
    isl::ast_node nest; // of one item
    if (device_.cooperation)
      nest = loop::generate(device_.items->item);
    const auto groups =
        device_.cooperation ? deviceGroups(*device_.items, *device_.cooperation, nest, used) : std::nullopt;
    out_.values.assign(used.values.begin(), used.values.end());
    findExtents();
    for (DeviceText::Version &v : ofScripts) {
      v.text = scheduledFunction(device_.version(v.variant)->kernel, v.text);
      out_.versions.push_back(std::move(v));
    }
    if (groups)
      out_.versions.push_back({"group", groupFunction(*groups), groups->localBytes, groups->values});
    return std::move(out_);
  }

private:
  /// Its text is that of its loops yet. Nothing if only simpler loops than the script's can be made, and groups would compute something
  /// else by them.
  static std::optional<DeviceText::Version> ofScript(const kernel::DeviceVersion &v, Used &used) {
    const KernelNest made = kernelNest(v.kernel, true);
    if (!made.note.empty() && kernel::workInGroups(v.kernel.schedule.tree))
      return std::nullopt;
    return DeviceText::Version{.variant = v.name,
                               .text = deviceLoops(made.nest, used),
                               .localBytes = localBytes(v.kernel),
                               .narrow = loop::largestSizeIn32Bits(made.nest.body)};
  }

  /// What a launch says besides its limits.
  static std::vector<std::string> launchArguments(const kernel::Scheduled &kernel) {
    return kernel::workInGroups(kernel.schedule.tree)
               ? loop::tileArguments(kernel.schedule.taskDimensions.size())
               : std::vector<std::string>{};
  }

  /// Numbers have 64 bits here; places() makes indices of them. The limits of the box are `low`<k> and `high`<k>.
  std::string signature(const kernel::Scheduled &kernel, const std::string &last = "",
                        const char *low = "from", const char *high = "to") const {
    std::vector<std::string> all;
    for (const Buffer &b : kernel.buffers) {
      if (!kernel::isMatrix(b))
        continue;
      all.push_back(fmt::format("PB_GLOBAL {}{} *{}_p", b.role == Buffer::Role::Input ? "const " : "",
                                body::cxxType(b.element), b.name));
      all.push_back(fmt::format("long {}_o", b.name));
      for (int d = 0; d < b.rank; ++d)
        all.push_back(fmt::format("long {}_t{}", b.name, d));
    }
    for (const std::string &v : out_.values)
      all.push_back(fmt::format("{} {}_w", reals_.count(v) ? "double" : "long", v));
    for (const auto &[b, d] : out_.extents)
      all.push_back(fmt::format("long {}_w{}", kernel.buffers[b].name, d));
    for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
      all.push_back(fmt::format("long {1}{0}, long {2}{0}", k, low, high));
    return fmt::format("PB_KERNEL({})({}{})\n", out_.entry, fmt::join(all, ", "), last);
  }

  /// The extents of matrices of which groups copy what lies inside.
  void findExtents() {
    std::set<int> copied;
    for (const kernel::DeviceVersion &v : device_.versions)
      for (const kernel::Statement &s : v.kernel.statements)
        if (s.copy)
          copied.insert(s.copy->from);
    for (const int b : copied)
      for (int d = 0; d < device_.items->kernel.buffers[static_cast<std::size_t>(b)].rank; ++d)
        out_.extents.emplace_back(b, d);
  }

  std::string scheduledFunction(const kernel::Scheduled &kernel, const std::string &loops) const {
    std::string limits;
    for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
      limits += fmt::format("  const PB_INDEX low{0} = low_w{0}, high{0} = high_w{0};\n", k);
    std::string others;
    for (const std::string &argument : launchArguments(kernel)) {
      others += fmt::format(", long {}_w", argument);
      limits += fmt::format("  const PB_INDEX {0} = {0}_w;\n", argument);
    }
    return prologue() + registers(kernel) + bodies(kernel) + signature(kernel, others, "low_w", "high_w") +
           "{\n" + groupArrays(kernel) + "  PB_BEGIN\n" + places(kernel) + limits + loops + "  PB_END\n}\n";
  }

  /// A kernel in which each group computes PB_C0 cells, in teams of its items.
  std::string groupFunction(const DeviceGroups &groups) const {
    const bool isAlong = device_.cooperation->isAlongSteps;
    std::string text = "  const int slot = PB_LOCAL_INDEX, team = PB_G0 * PB_G1 * PB_G2 / PB_C0;\n";
    text += isAlong ? "  const int lane = slot % team, cell = slot / team, apart = 1;\n"
                    : "  const int lane = slot / PB_C0, cell = slot % PB_C0, apart = PB_C0;\n";
    text += "  const long part = PB_GROUP_ID(0) % here;\n";
    std::string number = "0", cells = "1", inside = "cell == 0";
    if (rounds_)
      text += "  const long low0 = from0;\n";
    for (std::size_t k = functions_; k-- > rounds_;) {
      if (k == rounds_) {
        text += fmt::format("  const long place = from{0} + PB_GROUP_ID(0) / here * PB_C0 + cell;\n"
                            "  const long low{0} = pb_minimum(place, to{0} - 1);\n",
                            k);
        inside = fmt::format("place < to{}", k);
      } else {
        text += fmt::format("  const long low{0} = from{0} + PB_GROUP_ID({1});\n", k, k - rounds_);
      }
      const bool isFirst = k + 1 == functions_;
      number = isFirst ? fmt::format("low{0} - from{0}", k)
                       : fmt::format("({0}) * (to{1} - from{1}) + low{1} - from{1}", number, k);
      cells =
          isFirst ? fmt::format("(to{0} - from{0})", k) : fmt::format("{0} * (to{1} - from{1})", cells, k);
    }
    text += fmt::format("  const int inside = {};\n  const long number = {}, cells = {};\n", inside, number,
                        cells);
    return prologue() + bodies(device_.items->item) +
           signature(device_.items->item, ", PB_GLOBAL long *scratch, long pass, long parts, long here") +
           "{\n" + groups.arrays + "  PB_BEGIN\n" + places(device_.items->item) + text + groups.statements +
           "  PB_END\n}\n";
  }

  static std::string prologue() {
    return "#ifdef PB_UNIT\n#define PB_FIRST(stride) 1\n#else\n#define PB_FIRST(stride) (stride)\n#endif\n"
           "#ifndef PB_INDEX\n#define PB_INDEX long\n#endif\n#ifndef PB_WIDE\n#define PB_WIDE 0\n#endif\n";
  }

  /// How many registers an item has, where it has several points: compilers use more of them than they have to. With several variables
  /// a point nothing is said, because they need more than the estimate.
  static std::string registers(const kernel::Scheduled &kernel) {
    constexpr int kOthers = 56; // for addresses, and for what is read of a group's memory
    const auto variables = std::count_if(kernel.buffers.begin(), kernel.buffers.end(),
                                         [](const Buffer &b) { return b.role == Buffer::Role::Local; });
    if (!kernel::hasBlocks(kernel.schedule.tree) || variables > 1)
      return "";
    return fmt::format(
        "#undef PB_LEAST_GROUPS\n#define PB_LEAST_GROUPS PB_GROUPS_OF(PB_C0 * PB_C1 * {} + {})\n",
        (kernel::registerBytes(kernel) + 3) / 4, kOthers);
  }

  /// The functions of bodies that are called, for the memory spaces of their arguments.
  static std::string bodies(const kernel::Scheduled &kernel) {
    std::string text;
    std::set<std::string> seen;
    for (const kernel::Statement &s : kernel.statements) {
      if (!s.isOpaque || !seen.insert(s.onDevice->function).second)
        continue;
      std::string one = s.onDevice->text;
      for (std::size_t k = s.arguments.size(); k-- > 0;) // PB_AT_10 before PB_AT_1
        one = replaced(one, fmt::format("PB_AT_{}", k),
                       kernel.buffers[s.arguments[k].buffer].role == Buffer::Role::Group ? "PB_LOCAL"
                                                                                         : "PB_GLOBAL");
      text += one;
    }
    return text;
  }

  std::string places(const kernel::Scheduled &kernel) const {
    std::string text;
    for (const std::string &v : out_.values)
      text += fmt::format("  const {} {}_v = {}_w;\n", reals_.count(v) ? "double" : "PB_INDEX", v, v);
    for (const auto &[b, d] : out_.extents)
      text += fmt::format("  const PB_INDEX {0}_n{1} = {0}_w{1};\n", kernel.buffers[b].name, d);
    for (const Buffer &b : kernel.buffers) {
      if (!kernel::isMatrix(b))
        continue;
      text += fmt::format("  PB_PLACE({0}_p, {0}_o);\n", b.name);
      for (int d = 0; d < b.rank; ++d)
        text += fmt::format("  const PB_INDEX {0}_s{1} = {2};\n", b.name, d,
                            d ? fmt::format("{}_t{}", b.name, d) : fmt::format("PB_FIRST({}_t0)", b.name));
    }
    return text;
  }

  /// The memory of the group, which comes first in a kernel.
  static std::string groupArrays(const kernel::Scheduled &kernel) {
    const DeviceC dialect;
    std::string text;
    const std::vector<loop::Matrix> all = loop::matrices(kernel);
    for (const loop::Matrix &m : all)
      if (!m.ofGroup.empty()) {
        Used used;
        CPrinter printer(all, dialect, false, used);
        const std::string cells = printer.text(loop::groupStride(m, m.ofGroup.size()));
        text += "  " + dialect.localArray(dialect.type(m.element), m.name + "_l", cells) + ";\n";
      }
    return text;
  }

  /// C++ over the sizes of groups and blocks.
  static std::string localBytes(const kernel::Scheduled &kernel) {
    std::string sum;
    for (const Buffer &b : kernel.buffers) {
      if (b.role != Buffer::Role::Group)
        continue;
      std::string size = fmt::format("{}L", kernel::bytesOf(b.element));
      for (const kernel::GroupDimension &d : b.ofGroup) {
        const std::string points =
            fmt::format("group[{0}]{1}", d.axis, d.isBlock ? fmt::format(" * cells[{}]", d.axis) : "");
        const long pad = &d == &b.ofGroup.front() ? b.pad : 0;
        size += d.axis < 0 ? fmt::format(" * {}", d.extent + pad)
                           : fmt::format(" * ({} * ({} - 1) + {})", d.factor, points, d.extent + pad);
      }
      sum += (sum.empty() ? "" : " + ") + size;
    }
    return sum;
  }

  const kernel::OnDevice &device_;
  const std::set<std::string> &reals_;
  std::size_t functions_, rounds_;
  DeviceText out_;
};

} // namespace

DeviceText deviceText(const kernel::OnDevice &device, const std::string &entry,
                      const std::set<std::string> &reals) {
  return Printer(device, entry, reals).print();
}

} // namespace pbc::emit
