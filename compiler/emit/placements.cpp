// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/placements.h"
#include "compiler/emit/initialiser.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/group_tiles.h"
#include "compiler/kernel/item_values.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace pbc::emit {

namespace {

constexpr int kRatioParts = 64;     // requirement 100; the paper's are eighths
constexpr int kAdaptive = 65;       // the runtime's value for "find it by measuring" (device/balance.h)
constexpr int kLargestGroup = 1024; // along one function; the runtime halves what a device does not support
constexpr int kMostCells = 16;      // of an item, along one function
constexpr int kMostRows = 64;       // of an item, if it has runs of points
constexpr int kMostPlanes = 256;    // of an item, if it goes through planes
constexpr int kMostParts = 1024;
constexpr int kLargestTile = 4096; // along one function
constexpr int kRowsOfBlock = 32;   // that wait for each other
constexpr int kMostRowsOfBlock = 256;
constexpr int kMostSteps = 64; // of a launch
constexpr const char *kFunctions = "xyzw";
constexpr const char *kOrdinals[] = {"first", "second", "third", "fourth"};
constexpr int kTileFunctions = kernel::kMostTileFunctions;

/// Bytes of the variables of one point that are in registers, up to which items have 8 x 8 points: 128 registers of 4 bytes.
constexpr unsigned kBytesOf64Points = 8;

bool hasRuns(const Placement &p) { return p.run[0] > 0; }
/// Whether items of some version have blocks of points.
bool hasBlocks(const Placement &p) {
  return p.hasBlocks ||
         std::any_of(p.named.begin(), p.named.end(), [](const Placement::Named &n) { return n.hasBlocks; });
}
bool hasCells(const Placement &p) {
  return hasBlocks(p) || hasRuns(p) ||
         std::any_of(p.named.begin(), p.named.end(), [](const Placement::Named &n) { return n.hasRuns; });
}
bool hasPlanes(const Placement &p) { return p.run[2] > 1; }
/// Along how many axes an item has several cells.
int cellAxes(const Placement &p) {
  return hasCells(p) ? std::min(hasPlanes(p) ? 3 : 2, p.itemDimensions) : 0;
}
bool hasSteps(const Placement &p) { return p.stepBytes > 0; }

/// Of a schedule of the program, where the compiler has no version of its own with runs.
constexpr int kCellsOfRun = 4;

/// Along each of two functions; along one, points share so little that few of them fill a group's memory.
int defaultCells(const Placement &p) {
  return p.itemDimensions == 1 ? 2 : p.bytesOfPoint <= kBytesOf64Points ? 8 : 4;
}

/// A step that has both versions has the blocks' number.
int cellsAlong(const Placement &p, int d) {
  return d == 2         ? std::max(1, p.run[2])
         : hasBlocks(p) ? defaultCells(p)
         : hasRuns(p)   ? p.run[static_cast<std::size_t>(d)]
         : d == 0       ? kCellsOfRun
                        : 1;
}

/// Groups are long along x, where neighbours are contiguous. Those of many points have so few items that the registers of a
/// multiprocessor hold two of them.
int defaultGroup(const Placement &p, int d) {
  static constexpr int kOfBlocks[3] = {16, 8, 1}, kOfRows = 128;
  constexpr int kRowsOfPlanes = 16; // of points
  if (hasBlocks(p) && p.itemDimensions > 1 && defaultCells(p) == 8)
    return kOfBlocks[d];
  if (hasBlocks(p) && p.itemDimensions == 1)
    return kOfRows;
  if (hasPlanes(p))
    return d == 0 ? 32 : d == 1 ? std::max(1, kRowsOfPlanes / cellsAlong(p, 1)) : 1;
  return kernel::kItemsOfGroup[static_cast<std::size_t>(p.itemDimensions - 1)][static_cast<std::size_t>(d)];
}

/// So large that a round keeps a group busy, and a diagonal of tiles several groups.
int defaultTile(int dimensions) { return dimensions == 2 ? 64 : 16; }

/// Odd, because most matrices of steps have two slots; more of them cost a group of two dimensions too much halo.
int defaultSteps(const Placement &p) { return p.itemDimensions == 1 ? 15 : 5; }

/// As many places of an item as leave most of a group's box without halo, and fit into the memory of groups on all devices.
int defaultPlaces(const Placement &p, int d) {
  constexpr unsigned kBytes = 48U << 10, kPlanes = 2, kItems = 256;
  int places[2] = {p.itemDimensions == 1 ? 4 : 2, p.itemDimensions == 1 ? 1 : 4};
  while (static_cast<unsigned>(places[0] * places[1]) * kItems * kPlanes * p.stepBytes > kBytes &&
         places[0] * places[1] > 1)
    places[places[1] >= places[0] ? 1 : 0] /= 2;
  return places[d];
}

/// Along memory the team is all items of a group; across it, as many neighbouring cells as make a
/// transaction.
int defaultTeam(const kernel::Cooperation &how) { return how.isAlongSteps ? 256 : 8; }

} // namespace

std::string placementSlot(const Scope &scope, const char *kind) {
  return fmt::format("pb_{}_{}", kind, scope.transform.symbol);
}

namespace {

void addNamed(const kernel::DeviceVersion &version, Placement &place) {
  const isl::schedule &tree = version.kernel.schedule.tree;
  const bool isRun = kernel::hasRuns(tree), isBlock = !isRun && kernel::hasBlocks(tree);
  auto at = std::find_if(place.named.begin(), place.named.end(),
                         [&](const Placement::Named &n) { return n.choice == version.name; });
  if (at == place.named.end())
    at = place.named.insert(place.named.end(), {version.name, version.doc});
  at->hasBlocks |= isBlock;
  at->hasRuns |= isRun;
  if (isBlock)
    place.bytesOfPoint = std::max(place.bytesOfPoint, kernel::registerBytes(version.kernel));
}

/// Adds what the step can do on a device.
void addDevice(const kernel::OnDevice &device, Placement &place) {
  const bool isFirst = !std::exchange(place.hasDevice, true);
  if (!device.items) {
    place.isLibrary |= isFirst;
    return;
  }
  const int functions = static_cast<int>(device.items->kernel.schedule.taskDimensions.size());
  const int items = std::clamp(functions - (device.items->inRounds() ? 1 : 0), 1, 3);
  place.itemDimensions = std::max(place.itemDimensions, items);
  place.hasLocal |= device.version("local") != nullptr;
  if (const kernel::DeviceVersion *blocks = device.version("blocks")) {
    place.hasBlocks = true;
    place.bytesOfPoint = std::max(place.bytesOfPoint, kernel::registerBytes(blocks->kernel));
    if (blocks->rows) { // whose sums go along the rows, too
      place.rowsOfBlock = kRowsOfBlock;
      place.itemDimensions = std::clamp(functions + 1, place.itemDimensions, 3);
    }
  }
  if (const kernel::DeviceVersion *runs = device.version("registers"); runs && !hasRuns(place))
    place.run = runs->cells;
  if (const kernel::DeviceVersion *inTiles = device.version("tiles")) {
    const int tiles = static_cast<int>(inTiles->kernel.schedule.taskDimensions.size());
    place.itemDimensions = std::max(place.itemDimensions, tiles - 1);
    place.tileDimensions = std::max(place.tileDimensions, tiles);
  }
  if (const kernel::DeviceVersion *steps = device.version("steps")) {
    unsigned bytes = 0;
    for (const int b : steps->kernel.schedule.steps->kept)
      bytes += kernel::bytesOf(steps->kernel.buffers[static_cast<std::size_t>(b)].element);
    place.stepBytes = std::max(place.stepBytes, bytes);
  }
  if (device.cooperation && !place.team)
    place.team = defaultTeam(*device.cooperation);
  for (const kernel::DeviceVersion &v : device.versions)
    if (v.isNamed())
      addNamed(v, place);
}

} // namespace

std::vector<Placement> placements(const Input &input, const sema::Transform &transform) {
  std::vector<Placement> all;
  const auto &plans = input.plans[transform.index].plans;
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (std::size_t s = 0; s < plans[p].steps.size(); ++s) {
      const auto device = input.devices ? (*input.devices)[transform.index][p][s] : nullptr;
      const bool isPossible = device && device->isPossible();
      const std::vector<Version> &versions = input.versionsOf(transform.index, p, s);
      if (!isPossible && versions.empty())
        continue;
      const std::string name = schedule::stepName(transform, plans[p].steps[s]);
      auto at = std::find_if(all.begin(), all.end(), [&](const Placement &k) { return k.name == name; });
      if (at == all.end())
        at = all.insert(all.end(), {.name = name, .versions = versions});
      if (isPossible)
        addDevice(*device, *at);
    }
  return all;
}

std::vector<Placement> placements(const Scope &scope) { return placements(scope.input, scope.transform); }

std::string placementSlots(const Scope &scope) {
  const std::size_t count = placements(scope).size();
  if (!count)
    return "";
  const int bins = scope.transform.binCount();
  const auto define = [&](const char *kind, std::size_t each) {
    return slot(scope, "long", placementSlot(scope, kind), each);
  };
  return slot(scope, "pb::Selector", placementSlot(scope, "place"), count * bins) +
         define("group", 3 * count * bins) + define("cells", 3 * count * bins) +
         define("tile", kTileFunctions * count * bins) + define("teams", 2 * count * bins) +
         define("rounds", 3 * count * bins) + define("blockrows", count * bins) + define("ratio", bins);
}

const Placement::Named *namedOf(const Placement &p, const std::string &version) {
  const auto at = std::find_if(p.named.begin(), p.named.end(),
                               [&](const Placement::Named &n) { return n.choice == version; });
  return at == p.named.end() ? nullptr : &*at;
}

bool hasSeveralCells(const Placement &p, const std::string &version) {
  const Placement::Named *named = namedOf(p, version);
  return named ? named->hasBlocks || named->hasRuns
               : version == "blocks" || version == "buffers" || version == "registers";
}

LaunchSizes defaultSizes(const Placement &p, const std::string &version) {
  LaunchSizes sizes{{1, 1, 1}, {1, 1, 1}};
  int items = 1;
  for (int d = 0; d < p.itemDimensions; ++d)
    items *= sizes.group[d] = defaultGroup(p, d);
  for (int d = 0; d < std::min(2, p.itemDimensions); ++d)
    if (hasSeveralCells(p, version))
      sizes.cells[d] = cellsAlong(p, d);
    else if (version == "steps")
      sizes.cells[d] = defaultPlaces(p, d);
  if (version == "registers")
    sizes.cells[2] = cellsAlong(p, 2);
  if (version == "group")
    sizes.cells[0] = std::max(1, items / std::max(1, p.team));
  return sizes;
}

std::vector<std::string> versionsOf(const Placement &p) {
  if (!p.hasDevice)
    return {};
  if (p.isLibrary)
    return {"library"};
  std::vector<std::string> all = {"global"};
  if (p.hasLocal)
    all.push_back("local");
  if (p.hasBlocks)
    all.insert(all.end(), {"blocks", "buffers"});
  if (hasRuns(p))
    all.push_back("registers");
  if (p.tileDimensions)
    all.push_back("tiles");
  if (hasSteps(p))
    all.push_back("steps");
  if (p.team)
    all.push_back("group");
  for (const Placement::Named &one : p.named)
    all.push_back(one.choice);
  return all;
}

namespace {

bool hasDevice(const std::vector<Placement> &all) {
  return std::any_of(all.begin(), all.end(), [](const Placement &p) { return p.hasDevice; });
}

/// A condition of a placement's tunables: the versions to which they apply.
struct Aspect {
  const char *name;
  std::vector<std::string> versions;
};
const Aspect kInGroups{"group",
                       {"global", "local", "blocks", "buffers", "registers", "tiles", "steps", "group"}},
    kInBlocks{"blocks", {"blocks", "buffers", "registers"}}, kInTiles{"tiles", {"tiles"}},
    kInRows{"rows", {"blocks", "buffers"}}, kInSteps{"steps", {"steps"}}, kInTeams{"team", {"group"}};

unsigned long usesOf(const Placement &p, const Aspect &aspect) {
  unsigned long uses = 0;
  if (&aspect == &kInRows && !p.rowsOfBlock)
    return 0;
  const std::vector<std::string> versions = versionsOf(p);
  for (std::size_t k = 0; k < versions.size(); ++k) { // behind the processor's alternatives
    const bool isNamed = namedOf(p, versions[k]) != nullptr;
    if (isNamed ? &aspect == &kInGroups || (&aspect == &kInBlocks && hasSeveralCells(p, versions[k]))
                : std::count(aspect.versions.begin(), aspect.versions.end(), versions[k]) > 0)
      uses |= 2UL << (p.versions.size() + k);
  }
  return uses;
}

/// Whether the steps of the placement are launched in groups whose size the configuration decides.
bool hasGroups(const Placement &p) { return usesOf(p, kInGroups) != 0 && p.itemDimensions > 0; }

std::string placementConditions(const Scope &scope) {
  std::string text, onDevice, constraints;
  int number = 0;
  for (const Placement &p : placements(scope)) {
    for (const Aspect *aspect : {&kInGroups, &kInBlocks, &kInTiles, &kInRows, &kInSteps, &kInTeams})
      if (const unsigned long uses = usesOf(p, *aspect)) {
        const std::string row = initialiser({{"site", quoted("place_" + p.name)}, {"uses", uses}});
        text +=
            fmt::format("static const pb::Condition pb_when_{}_{}[] = {{{}}};\n", aspect->name, number, row);
        if (aspect == &kInGroups)
          onDevice += "  " + row + ",\n";
      }
    if (hasGroups(p) && p.itemDimensions > 1) {
      std::string names;
      for (int d = 0; d < p.itemDimensions; ++d)
        names += quoted(fmt::format("group_{}_{}", kFunctions[d], p.name)) + ", ";
      text += fmt::format("static const char *const pb_groups_{}[] = {{{}}};\n", number, names);
      constraints += tableRow({{"doc", quoted("work-items of a group of " + p.name)},
                               {"tunables", fmt::format("pb_groups_{}", number)},
                               {"count", p.itemDimensions},
                               {"most", kLargestGroup}});
    }
    ++number;
  }
  if (!onDevice.empty())
    text += "static const pb::Condition pb_when_device[] = {\n" + onDevice + "};\n";
  if (!constraints.empty())
    text += "static const pb::Constraint pb_constraints[] = {\n" + constraints + "};\n";
  return text;
}

} // namespace

std::string placementAlternatives(const Scope &scope) {
  static const std::map<std::string, std::pair<const char *, const char *>> kAlternatives = {
      {"global", {"gpu", "on a device"}},
      {"local", {"gpu_local", "on a device, with inputs in the local memory of groups"}},
      {"blocks", {"gpu_blocks", "on a device, several cells for each work-item"}},
      {"buffers",
       {"gpu_buffers",
        "on a device, several cells for each work-item; strips are copied while the ones before are read"}},
      {"registers",
       {"gpu_registers",
        "on a device, several cells for each work-item, which keeps what they read in registers"}},
      {"tiles", {"gpu_tiles", "on a device, a tile of points for each group"}},
      {"steps", {"gpu_steps", "on a device, several rounds in the local memory of groups"}},
      {"library", {"gpu_library", "on a device, by a function of a library"}},
      {"group", {"gpu_group", "on a device, each cell by several work-items of a group together"}}};
  std::string text;
  int number = 0;
  for (const Placement &p : placements(scope)) {
    const auto alternative = [&](const char *name, const char *doc) {
      text += tableRow({{"name", quoted(name)}, {"doc", quoted(doc)}});
    };
    text += fmt::format("static const pb::Alternative pb_places_{}[] = {{\n", number++);
    alternative("cpu", "on the processor");
    for (const Version &version : p.versions)
      alternative(version.choice.c_str(), version.doc.c_str());
    for (const std::string &version : versionsOf(p))
      if (const Placement::Named *named = namedOf(p, version))
        alternative(named->choice.c_str(), named->doc.c_str());
      else
        alternative(kAlternatives.at(version).first, kAlternatives.at(version).second);
    text += "};\n";
  }
  return text + placementConditions(scope);
}

std::size_t placementConstraintCount(const Scope &scope) {
  const std::vector<Placement> all = placements(scope);
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [](const Placement &p) { return hasGroups(p) && p.itemDimensions > 1; }));
}

std::string placementSites(const Scope &scope, int bin) {
  std::string rows;
  int number = 0;
  for (const Placement &p : placements(scope)) {
    rows += tableRow({{"name", quoted("place_" + p.name)},
                      {"doc", quoted("where " + p.name + " of " + scope.transform.name + " runs")},
                      {"alternativeCount", 1 + p.versions.size() + versionsOf(p).size()},
                      {"alternatives", fmt::format("pb_places_{}", number)},
                      {"slot", fmt::format("&{}.own[{}]", placementSlot(scope, "place"),
                                           number * scope.transform.binCount() + bin)},
                      {"needsDevice", p.hasDevice ? "true" : ""},
                      {"versions", p.versions.empty() ? "" : std::to_string(p.versions.size())}});
    ++number;
  }
  return rows;
}

int placementTunableCount(const Scope &scope) {
  const std::vector<Placement> all = placements(scope);
  int count = hasDevice(all) ? 1 : 0; // gpu_ratio
  for (const Placement &p : all)
    count += p.itemDimensions + cellAxes(p) + p.tileDimensions + (p.rowsOfBlock ? 1 : 0) +
             (hasSteps(p) ? 1 + std::min(2, p.itemDimensions) : 0) + (p.team ? 2 : 0);
  return count;
}

std::string placementTunables(const Scope &scope, int bin) {
  std::string rows;
  int number = 0;
  const auto row = [&](const std::string &name, const std::string &doc, int initial, int low, int high,
                       const std::string &place, const std::string &when, int conditions = 1) {
    rows += tableRow({{"name", quoted(name)},
                      {"doc", quoted(doc)},
                      {"kind", "pb::TunableKind::Integer"},
                      {"logarithmic", low > 0},
                      {"initial", initial},
                      {"minimum", low},
                      {"maximum", high},
                      {"integerSlot", "&" + place},
                      {"needsDevice", true},
                      {"when", conditions ? "pb_when_" + when : "nullptr"},
                      {"whenCount", conditions}});
  };
  int onDevice = 0;
  for (const Placement &p : placements(scope)) {
    const auto when = [&](const Aspect &aspect) { return fmt::format("{}_{}", aspect.name, number); };
    onDevice += usesOf(p, kInGroups) != 0;
    for (int d = 0; d < p.itemDimensions; ++d)
      row(fmt::format("group_{}_{}", kFunctions[d], p.name),
          fmt::format("work-items of a group along {} of {}", kFunctions[d], p.name), defaultGroup(p, d), 1,
          kLargestGroup,
          fmt::format("{}.own[{}]", placementSlot(scope, "group"),
                      3 * (number * scope.transform.binCount() + bin) + d),
          when(kInGroups));
    for (int d = 0; d < cellAxes(p); ++d)
      row(fmt::format("cells_{}_{}", kFunctions[d], p.name),
          fmt::format("cells of a work-item along {} of {}, where it has several", kFunctions[d], p.name),
          cellsAlong(p, d), 1,
          d == 2                 ? kMostPlanes
          : hasRuns(p) && d == 1 ? kMostRows
                                 : kMostCells,
          fmt::format("{}.own[{}]", placementSlot(scope, "cells"),
                      3 * (number * scope.transform.binCount() + bin) + d),
          when(kInBlocks));
    for (int d = 0; d < p.tileDimensions; ++d)
      row(fmt::format("tile_{}_{}", kFunctions[d], p.name),
          fmt::format("points of a group's tile along its {} direction in {}", kOrdinals[d], p.name),
          defaultTile(p.tileDimensions), 1, kLargestTile,
          fmt::format("{}.own[{}]", placementSlot(scope, "tile"),
                      kTileFunctions * (number * scope.transform.binCount() + bin) + d),
          when(kInTiles));
    if (hasSteps(p)) {
      const int slot = 3 * (number * scope.transform.binCount() + bin);
      row("steps_" + p.name, fmt::format("rounds of {} that a launch computes together", p.name),
          defaultSteps(p), 1, kMostSteps, fmt::format("{}.own[{}]", placementSlot(scope, "rounds"), slot),
          when(kInSteps));
      for (int d = 0; d < std::min(2, p.itemDimensions); ++d)
        row(fmt::format("places_{}_{}", kFunctions[d], p.name),
            fmt::format(
                "places of a work-item in the memory of its group along {} of {}, where it keeps several "
                "rounds",
                kFunctions[d], p.name),
            defaultPlaces(p, d), 1, kMostCells,
            fmt::format("{}.own[{}]", placementSlot(scope, "rounds"), slot + 1 + d), when(kInSteps));
    }
    if (p.rowsOfBlock)
      row("rows_" + p.name,
          fmt::format(
              "rows of {} that wait for each other and are computed before the sums of all rows behind them",
              p.name),
          p.rowsOfBlock, 1, kMostRowsOfBlock,
          fmt::format("{}.own[{}]", placementSlot(scope, "blockrows"),
                      number * scope.transform.binCount() + bin),
          when(kInRows));
    const int teams = 2 * (number * scope.transform.binCount() + bin);
    if (p.team) {
      row("team_" + p.name, fmt::format("work-items that compute a cell of {} together", p.name), p.team, 1,
          kLargestGroup, fmt::format("{}.own[{}]", placementSlot(scope, "teams"), teams), when(kInTeams));
      row("parts_" + p.name,
          fmt::format(
              "groups that have parts of the steps of a cell of {}; 0: as many as keep the device busy",
              p.name),
          0, 0, kMostParts, fmt::format("{}.own[{}]", placementSlot(scope, "teams"), teams + 1),
          when(kInTeams));
    }
    ++number;
  }
  if (hasDevice(placements(scope)))
    row("gpu_ratio",
        "how many 64ths of its points a step on a device leaves to it; the others are the processor's; 65: "
        "as "
        "many as it needs to be done when the processor is, found by measuring earlier runs of the step",
        kRatioParts, 0, kAdaptive, fmt::format("{}.own[{}]", placementSlot(scope, "ratio"), bin), "device",
        onDevice);
  return rows;
}

} // namespace pbc::emit
