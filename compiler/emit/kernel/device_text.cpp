// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/device_text.h"
#include "compiler/emit/dialect/device_c.h"
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
      : device_(device), reals_(reals) {
    out_.entry = entry;
  }

  DeviceText print() {
    Used used;
    std::vector<std::pair<const kernel::DeviceVersion *, DeviceLoopText>> loops;
    for (const kernel::DeviceVersion &v : device_.versions)
      if (v.exists())
        addLoops(v, loops, used);
    out_.values.assign(used.values.begin(), used.values.end());
    findExtents();
    for (std::size_t k = 0; k < loops.size(); ++k)
      out_.versions[k].text = function(loops[k].first->kernel, loops[k].second);
    return std::move(out_);
  }

private:
  /// Adds the version, without its text, if there are loops that do what its script asks for: groups would compute something else by
  /// simpler ones, and teams without a loop that is shared out the same.
  void addLoops(const kernel::DeviceVersion &v,
                std::vector<std::pair<const kernel::DeviceVersion *, DeviceLoopText>> &to, Used &used) {
    const KernelNest made = kernelNest(v.kernel, true);
    if (!made.note.empty() && kernel::workInGroups(v.kernel.schedule.tree))
      return;
    DeviceLoopText text = deviceLoops(made.nest, used);
    const bool isTeam = made.nest.teams.has_value();
    if (isTeam && text.sharedOut.loops == 0)
      return;
    out_.versions.push_back({.variant = v.name,
                             .localBytes = localBytes(v.kernel, text.sharedOut),
                             .values = text.sharedOut.values,
                             .narrow = isTeam ? 0 : loop::largestSizeIn32Bits(made.nest.body),
                             .loops = text.lowered,
                             .matrices = made.nest.buffers});
    to.emplace_back(&v, std::move(text));
  }

  /// What a launch says besides its limits; before the numbers of teams stands the memory for values of parts.
  static std::vector<std::string> launchArguments(const kernel::Scheduled &kernel) {
    if (kernel::hasTeams(kernel.schedule.tree))
      return {"pass", "parts", "here"};
    if (kernel::workInGroups(kernel.schedule.tree))
      return loop::tileArguments(kernel.schedule.taskDimensions.size());
    return {};
  }

  /// Numbers have 64 bits here; places() and function() make indices of them.
  std::string signature(const kernel::Scheduled &kernel) const {
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
      all.push_back(fmt::format("long {}_e{}", kernel.buffers[b].name, d));
    for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
      all.push_back(fmt::format("long low_w{0}, long high_w{0}", k));
    if (kernel::hasTeams(kernel.schedule.tree))
      all.emplace_back("PB_GLOBAL long *scratch");
    for (const std::string &argument : launchArguments(kernel))
      all.push_back(fmt::format("long {}_w", argument));
    return fmt::format("PB_KERNEL({})({})\n", out_.entry, fmt::join(all, ", "));
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

  std::string function(const kernel::Scheduled &kernel, const DeviceLoopText &text) const {
    std::string numbers;
    for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
      numbers += fmt::format("  const PB_INDEX low{0} = low_w{0}, high{0} = high_w{0};\n", k);
    for (const std::string &argument : launchArguments(kernel))
      numbers += fmt::format("  const PB_INDEX {0} = {0}_w;\n", argument);
    return prologue() + registers(kernel) + bodies(kernel) + signature(kernel) + "{\n" + groupArrays(kernel) +
           text.arrays + "  PB_BEGIN\n" + places(kernel) + numbers + text.loops + "  PB_END\n}\n";
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
    const auto words = [](unsigned bytes) { return (bytes + 3) / 4; };
    std::string kept;
    const std::vector<loop::Matrix> all = loop::matrices(kernel);
    for (const loop::Matrix &m : all)
      if (m.isOfItem) {
        loop::Expr cells = loop::integer(words(kernel::bytesOf(m.element)));
        for (const kernel::GroupDimension &d : m.ofGroup)
          cells = loop::multiply(std::move(cells), loop::grouped(loop::itemExtent(d)));
        kept += textOf(cells, all) + " + ";
      }
    return fmt::format(
        "#undef PB_LEAST_GROUPS\n#define PB_LEAST_GROUPS PB_GROUPS_OF({}PB_C0 * PB_C1 * {} + {})\n", kept,
        words(kernel::registerBytes(kernel)), kOthers);
  }

  static std::string textOf(const loop::Expr &e, const std::vector<loop::Matrix> &matrices) {
    const DeviceC dialect;
    Used used;
    return CPrinter(matrices, dialect, false, used).text(e);
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
      text += fmt::format("  const PB_INDEX {0}_n{1} = {0}_e{1};\n", kernel.buffers[b].name, d);
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
      if (!m.ofGroup.empty() && !m.isOfItem) {
        const std::string cells = textOf(loop::groupStride(m, m.ofGroup.size()), all);
        text += "  " + dialect.localArray(dialect.type(m.element), m.name + "_l", cells) + ";\n";
      }
    return text;
  }

  /// C++ over the sizes of groups and blocks.
  static std::string localBytes(const kernel::Scheduled &kernel, const loop::SharedOut &teams) {
    std::string sum;
    for (const kernel::Scalar element : teams.arrays)
      sum += fmt::format("{}{}L * group[0] * group[1] * group[2]", sum.empty() ? "" : " + ",
                         kernel::bytesOf(element));
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
  DeviceText out_;
};

} // namespace

DeviceText deviceText(const kernel::OnDevice &device, const std::string &entry,
                      const std::set<std::string> &reals) {
  return Printer(device, entry, reals).print();
}

} // namespace pbc::emit
