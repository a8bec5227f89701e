// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/through_tiles.h"
#include "compiler/emit/initialiser.h"
#include <algorithm>

namespace pbc::emit {
namespace {

class GroupPrinter {
public:
  GroupPrinter(const Scope &scope, const kernel::TileGroup &group, const StepNames &names)
      : scope_(scope), t_(scope.transform), group_(group), names_(names) {}

  ThroughTilesText print(std::size_t number) const {
    ThroughTilesText out;
    out.kernel = fmt::format("pb_tile_{}", number);
    out.table = fmt::format("pb_through_{}", number);
    const std::string boxes = fmt::format("pb_tile_boxes_{}", number);
    std::string bytes;
    for (const int m : group_.matrices)
      bytes += (bytes.empty() ? "" : ", ") + std::to_string(sema::bytes(t_.matrices[m].element));
    const std::string again = fmt::format("pb_tile_reads_{}", number), bytesAgain = readAgain();
    out.functions = boxesFunction(boxes) + (bytesAgain.empty() ? "" : againFunction(again, bytesAgain)) +
                    fmt::format("static const pb::ThroughTiles {} = {};\n\n", out.table,
                                initialiser({{"boxes", boxes},
                                             {"matrices", group_.matrices.size()},
                                             {"loops", group_.producers.size()},
                                             {"bytes", "{" + bytes + "}"},
                                             {"again", bytesAgain.empty() ? "" : again}})) +
                    tileFunction(out, boxes);
    return out;
  }

private:
  std::size_t position(int matrix) const {
    return static_cast<std::size_t>(std::find(group_.matrices.begin(), group_.matrices.end(), matrix) -
                                    group_.matrices.begin());
  }

  /// The bytes that each tile reads again, as a sum; "" if there are none.
  std::string readAgain() const {
    std::set<int> all = names_.again[static_cast<std::size_t>(group_.consumer)];
    for (const kernel::TileProducer &p : group_.producers)
      all.insert(names_.again[static_cast<std::size_t>(p.step)].begin(),
                 names_.again[static_cast<std::size_t>(p.step)].end());
    std::string sum;
    for (const int matrix : all) {
      if (position(matrix) < group_.matrices.size())
        continue;
      sum += (sum.empty() ? "" : " + ") + std::to_string(sema::bytes(t_.matrices[matrix].element)) + "L";
      for (const auto &e : t_.matrices[matrix].extents)
        sum += fmt::format(" * ({})", e.cxx);
    }
    return sum;
  }

  std::string againFunction(const std::string &name, const std::string &bytes) const {
    return fmt::format("PB_SMALL static long {}(const pb::Frame *pb_p) {{\n{}  return {};\n}}\n\n", name,
                       begin(), bytes);
  }

  std::string extents(int matrix) const {
    std::string out;
    for (const auto &e : t_.matrices[matrix].extents)
      out += (out.empty() ? "" : ", ") + e.cxx;
    return out;
  }

  /// `from`: the names of the limits of the reader's points.
  std::string reads(const std::vector<kernel::CellsBox> &all, std::size_t dimensions, const std::string &low,
                    const std::string &high) const {
    if (all.empty())
      return "";
    std::string out = "  {\n";
    for (std::size_t k = 0; k < dimensions; ++k)
      out += fmt::format("    [[maybe_unused]] const long pb__low{0} = {1}[{0}], pb__high{0} = {2}[{0}];\n",
                         k, low, high);
    for (const auto &r : all) {
      std::string lows, highs;
      for (const auto &interval : r.cells) {
        lows += (lows.empty() ? "" : ", ") + poly::cxx(interval.low);
        highs += (highs.empty() ? "" : ", ") + poly::cxx(interval.high);
      }
      out += fmt::format(
          "    {}{{\n      const long pb_from[] = {{{}}}, pb_to[] = {{{}}}, pb_extent[] = {{{}}};\n"
          "      pb::includeCells(&pb_cells[{}], pb_from, pb_to, pb_extent);\n    }}\n",
          r.condition ? "if (" + poly::cxxCondition(*r.condition) + ") " : "", lows, highs, extents(r.matrix),
          position(r.matrix));
    }
    return out + "  }\n";
  }

  std::string pointsOf(std::size_t p) const {
    using Kind = kernel::TileProducer::Dimension::Kind;
    const kernel::TileProducer &producer = group_.producers[p];
    const std::string points = fmt::format("pb_points[{}]", p),
                      cells = fmt::format("pb_cells[{}]", position(producer.matrix));
    std::string out =
        fmt::format("  {}(pb_p, &{});\n", names_.boxes[static_cast<std::size_t>(producer.step)], points);
    for (std::size_t d = 0; d < producer.dimensions.size(); ++d) {
      const auto &dimension = producer.dimensions[d];
      const std::string offset = dimension.offset ? poly::cxx(*dimension.offset) : "";
      switch (dimension.kind) {
      case Kind::Moves:
        out += fmt::format("  {0}.low[{1}] = pb::maximum({0}.low[{1}], {2}.low[{3}]{4});\n"
                           "  {0}.high[{1}] = pb::minimum({0}.high[{1}], {2}.high[{3}]{4});\n",
                           points, dimension.task, cells, d,
                           offset == "0" ? "" : fmt::format(" - ({})", offset));
        break;
      case Kind::Fixed:
        out += fmt::format("  if ({0} < {1}.low[{2}] || {0} >= {1}.high[{2}]) {3}.high[0] = {3}.low[0];\n",
                           offset, cells, d, points);
        break;
      case Kind::All:
        break;
      }
    }
    // There must be room for other cells that the points write, too.
    for (std::size_t d = 0; d < producer.dimensions.size(); ++d)
      if (producer.dimensions[d].kind == Kind::All)
        out += fmt::format("  if (!pb::isEmpty({0})) {1}.low[{2}] = 0, {1}.high[{2}] = {3};\n", points, cells,
                           d, t_.matrices[producer.matrix].extents[d].cxx);
    const std::string own =
        reads(producer.reads, dimensionsOf(producer.step), points + ".low", points + ".high");
    return out + (own.empty() ? "" : fmt::format("  if (!pb::isEmpty({}))\n", points) + own);
  }

  std::size_t dimensionsOf(int step) const { return names_.taskDimensions[static_cast<std::size_t>(step)]; }

  std::string begin() const {
    return fmt::format("  [[maybe_unused]] const {0} &pb_f = *static_cast<const {0} *>(pb_p);\n  {1}\n",
                       scope_.frame(), parameterDefinitions(scope_));
  }

  std::string boxesFunction(const std::string &name) const {
    std::string out = fmt::format("PB_SMALL static void {}(const pb::Frame *pb_p, const long *pb_low, "
                                  "const long *pb_high, pb::Box *pb_cells, pb::Box *pb_points) {{\n",
                                  name) +
                      begin();
    for (std::size_t m = 0; m < group_.matrices.size(); ++m)
      out += fmt::format("  pb_cells[{}] = pb::noCells({});\n", m, t_.matrices[group_.matrices[m]].rank());
    out += reads(group_.reads, dimensionsOf(group_.consumer), "pb_low", "pb_high");
    // Readers of a matrix come after its writers.
    for (std::size_t p = group_.producers.size(); p-- > 0;)
      out += pointsOf(p);
    return out + "}\n\n";
  }

  std::string tileFunction(const ThroughTilesText &names, const std::string &boxes) const {
    std::string out = fmt::format(
        "PB_SMALL static void {0}(const void *pb_context, const long *pb_low, const long *pb_high) {{\n"
        "  {1} pb_f = *static_cast<const {1} *>(pb_context);\n  {2}\n"
        "  pb::Box pb_cells[{3}], pb_points[{4}];\n  pb::TileRegion pb_regions[{3}];\n"
        "  {5}(&pb_f, pb_low, pb_high, pb_cells, pb_points);\n"
        "  pb::tileRegions({6}, pb_cells, pb_regions);\n",
        names.kernel, scope_.frame(), parameterDefinitions(scope_), group_.matrices.size(),
        group_.producers.size(), boxes, names.table);
    for (std::size_t k = 0; k < group_.matrices.size(); ++k) {
      const auto &m = t_.matrices[group_.matrices[k]];
      std::string sizes;
      for (const auto &e : m.extents)
        sizes += fmt::format("{}static_cast<int>({})", sizes.empty() ? "" : ", ", e.cxx);
      out += fmt::format(
          "  const int pb_extent_{0}[] = {{{1}}};\n"
          "  pb_f.m_{2} = {3}(static_cast<{4} *>(pb_regions[{0}].base), pb_regions[{0}].stride, "
          "pb_extent_{0});\n",
          k, sizes, poly::mangle(m.name), regionType(m.element, m.rank(), false), sema::cxxType(m.element));
    }
    for (std::size_t p = 0; p < group_.producers.size(); ++p)
      out += fmt::format("  pb::runPart(&pb_f, {}, pb_points[{}]);\n",
                         names_.kernels[static_cast<std::size_t>(group_.producers[p].step)], p);
    return out + fmt::format("  {}(&pb_f, pb_low, pb_high);\n}}\n\n",
                             names_.kernels[static_cast<std::size_t>(group_.consumer)]);
  }

  const Scope &scope_;
  const sema::Transform &t_;
  const kernel::TileGroup &group_;
  const StepNames &names_;
};

} // namespace

std::set<int> readByAllRows(const kernel::Scheduled &kernel) {
  std::set<int> all;
  if (!kernel.schedule.registerTile)
    return all;
  for (const kernel::RegisterTile::Panel &p : kernel.schedule.registerTile->panels) {
    const kernel::Statement &s = kernel.statements[static_cast<std::size_t>(p.statement)];
    const int buffer = s.accesses[static_cast<std::size_t>(p.access)].buffer;
    const int matrix = kernel.buffers[static_cast<std::size_t>(buffer)].matrix;
    if (p.alongX && matrix >= 0)
      all.insert(matrix);
  }
  return all;
}

ThroughTilesText throughTiles(const Scope &scope, const kernel::TileGroup &group, const StepNames &names,
                              std::size_t number) {
  return GroupPrinter(scope, group, names).print(number);
}

} // namespace pbc::emit
