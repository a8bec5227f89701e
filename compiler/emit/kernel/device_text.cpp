// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/device_text.h"
#include "compiler/emit/kernel/device_blocks.h"
#include "compiler/emit/kernel/device_groups.h"
#include "compiler/emit/kernel/device_tiles.h"
#include "compiler/emit/kernel/loops.h"
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/build.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/walk.h"
#include <fmt/format.h>
#include <isl/ast_build.h>

namespace pbc::emit {

using kernel::Buffer;

namespace {

constexpr std::size_t kItemDimensions = 3;

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
    std::vector<std::string> loops; // of the versions that scripts make
    for (const kernel::DeviceVersion &v : device_.versions)
      loops.push_back(deviceLoops(kernelNest(v.kernel, true).nest, used));
    isl::ast_node nest; // of one item: the same for all versions that no script makes
    if (device_.staged || device_.hasBlocks || device_.cooperation)
      nest = loop::generate(device_.items->item);
    const std::string ofStaged = device_.staged ? body(*device_.staged, nest, used) : "";
    const auto blocks = device_.hasBlocks ? deviceBlocks(*device_.items, nest, used) : std::nullopt;
    const std::string ofTile = tileStatements(used);
    const auto groups =
        device_.cooperation ? deviceGroups(*device_.items, *device_.cooperation, nest, used) : std::nullopt;
    for (const Buffer &b : device_.staged ? device_.staged->buffers : std::vector<Buffer>{})
      for (const kernel::StagedDimension &d : b.staged)
        firstCell(d, used);
    out_.values.assign(used.values.begin(), used.values.end());
    if (device_.staged)
      for (const Buffer &b : device_.staged->buffers)
        for (int d = 0; d < static_cast<int>(b.staged.size()); ++d)
          out_.extents.emplace_back(static_cast<int>(&b - device_.staged->buffers.data()), d);
    for (std::size_t k = 0; k < loops.size(); ++k)
      out_.versions.push_back(
          {device_.versions[k].name, scheduledFunction(device_.versions[k].kernel, loops[k]), ""});
    if (device_.staged)
      out_.versions.push_back(
          {"local", localFunction(*device_.staged, ofStaged), localBytes(*device_.staged)});
    if (blocks)
      out_.versions.push_back({"blocks", blockFunction(*blocks), blocks->localBytes});
    if (!ofTile.empty())
      out_.versions.push_back({"tiles", tileFunction(ofTile), ""});
    if (groups)
      out_.versions.push_back({"group", groupFunction(*groups), groups->localBytes, groups->values});
    return std::move(out_);
  }

private:
  static std::string body(const kernel::Scheduled &item, const isl::ast_node &nest, Used &used) {
    return deviceLoops(loop::build(item, nest, true), used);
  }

  /// The statements of one item of a tile; "" without tiles, or if a budget was exceeded.
  std::string tileStatements(Used &used) const {
    if (!device_.tiles)
      return "";
    try {
      return body(device_.tiles->item, loop::generate(device_.tiles->item), used);
    } catch (const isl::exception &) {
      return "";
    }
  }

  /// The limits of the box are low<k> and high<k> in loops that a schedule makes.
  std::string signature(const kernel::Scheduled &kernel, const std::string &last = "",
                        const char *low = "from", const char *high = "to") const {
    std::vector<std::string> all;
    for (const Buffer &b : kernel.buffers) {
      if (b.role == Buffer::Role::Local)
        continue;
      all.push_back(fmt::format("PB_GLOBAL {}{} *{}_p", b.role == Buffer::Role::Input ? "const " : "",
                                body::cxxType(b.element), b.name));
      all.push_back(fmt::format("long {}_o", b.name));
      for (int d = 0; d < b.rank; ++d)
        all.push_back(fmt::format("long {}_t{}", b.name, d));
    }
    for (const std::string &v : out_.values)
      all.push_back(fmt::format("{} {}_v", reals_.count(v) ? "double" : "long", v));
    for (const auto &[b, d] : out_.extents)
      all.push_back(fmt::format("long {}_n{}", kernel.buffers[b].name, d));
    for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
      all.push_back(fmt::format("long {1}{0}, long {2}{0}", k, low, high));
    return fmt::format("PB_KERNEL({})({}{})\n", out_.entry, fmt::join(all, ", "), last);
  }

  /// The item's value of each function; the last dimension of items covers all further functions.
  std::string values(std::string &guard) const {
    std::string text;
    if (rounds_)
      text += "  const long low0 = from0;\n";
    for (std::size_t k = rounds_; k < functions_; ++k) {
      const std::size_t item = k - rounds_;
      const bool isFolded = functions_ - rounds_ > kItemDimensions && item + 1 >= kItemDimensions;
      if (!isFolded) {
        text += fmt::format("  const long low{0} = from{0} + PB_ID({1});\n", k, item);
      } else {
        if (item + 1 == kItemDimensions)
          text += fmt::format("  long rest = PB_ID({});\n", kItemDimensions - 1);
        const bool isLast = k + 1 == functions_;
        text += isLast ? fmt::format("  const long low{0} = from{0} + rest;\n", k)
                       : fmt::format("  const long low{0} = from{0} + rest % (to{0} - from{0});\n  rest /= "
                                     "to{0} - from{0};\n",
                                     k);
      }
      guard += fmt::format("{0}low{1} < to{1}", guard.empty() ? "" : " && ", k);
    }
    return text;
  }

  /// "(PB_G0 + 2)": the extent of a staged copy along that dimension.
  std::string copyExtent(const kernel::StagedDimension &d, const std::string &group) const {
    if (d.function < 0)
      return std::to_string(d.extent);
    return fmt::format("({} * ({}{} - 1) + {})", d.factor, group, groupIndex(d.function), d.extent);
  }
  std::string groupIndex(int function) const { return std::to_string(function - static_cast<int>(rounds_)); }

  std::string copySize(const Buffer &b) const {
    std::string size;
    for (const auto &d : b.staged)
      size += (size.empty() ? "" : " * ") + copyExtent(d, "PB_G");
    return size;
  }

  /// The first cell of a staged copy along a dimension.
  std::string firstCell(const kernel::StagedDimension &d, Used &used) const {
    loop::Replacements firsts; // the group's first value of each function
    for (std::size_t k = 0; k < functions_; ++k) {
      const loop::Expr low = loop::limit(fmt::format("low{}", k)),
                       item = loop::index(fmt::format("PB_LOCAL_ID({})", k - rounds_));
      firsts.emplace_back(fmt::format("first{}", k), k < rounds_ ? low : loop::subtract(low, item));
    }
    const loop::Expr first = loop::expression(isl::ast_build(d.first.ctx()).expr_from(d.first));
    return deviceText(loop::replaced(first, firsts), used);
  }

  /// The items of a group copy what lies inside the matrix, each at a stride of the group's size.
  std::string load(const Buffer &b) const {
    Used used; // print() has noted it
    std::string text, inside, from, place;
    for (int d = 0; d < static_cast<int>(b.staged.size()); ++d) {
      const std::string first = firstCell(b.staged[d], used);
      text += fmt::format("  const long {}_b{} = {};\n", b.name, d, first);
      const std::string extent = fmt::format("{}_w{}", b.name, d);
      text += fmt::format("  const int {} = {};\n", extent, copyExtent(b.staged[d], "PB_G"));
      from += fmt::format("      const long c{0} = {1}_b{0} + rest % {2};\n      rest /= {2};\n", d, b.name,
                          extent);
      inside += fmt::format("{0}c{1} >= 0 && c{1} < {2}_n{1}", d ? " && " : "", d, b.name);
      place += fmt::format("{0}c{1} * {2}_s{1}", d ? " + " : "", d, b.name);
    }
    return text +
           fmt::format("  for (int k = PB_LOCAL_INDEX; k < {0}; k += PB_G0 * PB_G1 * PB_G2) {{\n"
                       "      int rest = k;\n{1}      if ({2})\n        {3}_c[k] = {3}_p[{4}];\n  }}\n",
                       copySize(b), from, inside, b.name, place);
  }

  std::string scheduledFunction(const kernel::Scheduled &kernel, const std::string &loops) const {
    return prologue() + bodies(kernel) + signature(kernel, "", "low", "high") + "{\n  PB_BEGIN\n" +
           places(kernel) + loops + "  PB_END\n}\n";
  }

  /// A kernel in which the items of a group copy inputs before each computes its point.
  std::string localFunction(const kernel::Scheduled &kernel, const std::string &statements) const {
    std::string arrays, loads, guard;
    for (const Buffer &b : kernel.buffers) {
      if (b.staged.empty())
        continue;
      arrays +=
          fmt::format("  PB_LOCAL_ARRAY({}, {}_c, {});\n", body::cxxType(b.element), b.name, copySize(b));
      loads += load(b);
    }
    const std::string items = values(guard);
    return prologue() + bodies(kernel) + signature(kernel) + "{\n" + arrays + "  PB_BEGIN\n" +
           places(kernel) + items + loads + "  PB_BARRIER();\n  if (" + guard + ") {\n" + statements +
           "  }\n  PB_END\n}\n";
  }

  /// A kernel in which each item computes a block of PB_C0 x PB_C1 cells.
  std::string blockFunction(const DeviceBlocks &blocks) const {
    std::string firsts, cell = "const int cell = r1 * PB_C0 + r0", inside, last;
    for (std::size_t k = rounds_; k < functions_; ++k) {
      const std::size_t d = k - rounds_;
      const bool isBlock = d < 2; // of cells
      firsts += isBlock
                    ? fmt::format("  const long first{0} = from{1} + PB_GROUP_ID({0}) * (PB_G{0} * "
                                  "PB_C{0});\n",
                                  d, k)
                    : fmt::format("  const long first{0} = from{1} + PB_GROUP_ID({0}) * PB_G{0};\n", d, k);
      const std::string place =
          fmt::format("(int)PB_LOCAL_ID({0})", d) + (isBlock ? fmt::format(" + r{0} * PB_G{0}", d) : "");
      cell += fmt::format(", place{} = {}", d, place);
      last += fmt::format("; const long low{0} = pb_minimum(first{1} + place{1}, to{0} - 1)", k, d);
      inside += fmt::format("{}first{} + place{} < to{}", inside.empty() ? "" : " && ", d, d, k);
    }
    const std::string rows = functions_ - rounds_ > 1 ? "PB_C1" : "1";
    return prologue() + signature(device_.items->item) + "{\n" +
           fmt::format("#define PB_EACH_CELL _Pragma(\"unroll\") for (int r1 = 0; r1 < {}; ++r1) "
                       "_Pragma(\"unroll\") for (int r0 = 0; r0 < PB_C0; ++r0)\n"
                       "#define PB_CELL {}{}; const int inside = {};\n",
                       rows, cell, last, inside) +
           blocks.arrays + "  PB_BEGIN\n" + places(device_.items->item) +
           (rounds_ ? "  const long low0 = from0;\n" : "") + firsts + blocks.statements + "  PB_END\n}\n";
  }

  /// A kernel in which each group computes a tile.
  std::string tileFunction(const std::string &statements) const {
    const kernel::GroupTiles &tiles = *device_.tiles;
    return prologue() + bodies(tiles.item) + signature(tiles.item, tileArguments(tiles)) + "{\n  PB_BEGIN\n" +
           places(tiles.item) + tileLoops(tiles, statements) + "  PB_END\n}\n";
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
    return "#ifdef PB_UNIT\n#define PB_FIRST(stride) 1\n#else\n#define PB_FIRST(stride) (stride)\n#endif\n";
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
                       kernel.buffers[s.arguments[k].buffer].staged.empty() ? "PB_GLOBAL" : "PB_LOCAL");
      text += one;
    }
    return text;
  }

  static std::string places(const kernel::Scheduled &kernel) {
    std::string text;
    for (const Buffer &b : kernel.buffers) {
      if (b.role == Buffer::Role::Local)
        continue;
      text += fmt::format("  {0}_p += {0}_o;\n", b.name);
      for (int d = 0; d < b.rank; ++d)
        text += fmt::format("  const long {0}_s{1} = {2};\n", b.name, d,
                            d ? fmt::format("{}_t{}", b.name, d) : fmt::format("PB_FIRST({}_t0)", b.name));
    }
    return text;
  }

  std::string localBytes(const kernel::Scheduled &kernel) const {
    std::string sum;
    for (const Buffer &b : kernel.buffers) {
      if (b.staged.empty())
        continue;
      std::string size = fmt::format("{}L", kernel::bytesOf(b.element));
      for (const auto &d : b.staged)
        size += d.function < 0 ? fmt::format(" * {}", d.extent)
                               : fmt::format(" * ({} * (group[{}] - 1) + {})", d.factor,
                                             groupIndex(d.function), d.extent);
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
