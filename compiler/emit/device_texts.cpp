// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/device_texts.h"
#include "compiler/emit/devices.h"
#include "compiler/emit/dialect/device_c.h"
#include "compiler/emit/dialect/metal.h"
#include "compiler/emit/kernel/device_text.h"
#include "compiler/emit/placements.h"
#include "compiler/poly/names.h"
#include "runtime/device/dialect.h"
#include "runtime/device/map_groups.h"
#include "runtime/device/row_groups.h"
#include "runtime/device/size_of_build.h"
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pbc::emit {
namespace {

/// Of a kernel: its transform, the first alternative that has it, and the step there.
struct Owner {
  const sema::Transform &transform;
  std::string alternative, step;
};
using TakeVersion = std::function<void(const Owner &, const DeviceText &, const DeviceText::Version &)>;

/// Of launches that make copies of matrices.
LaunchSizes sizesOfCopies() {
  LaunchSizes sizes;
  std::copy_n(pb::device::kGroupOfMap, 3, sizes.group);
  std::copy_n(pb::device::kCellsOfMap, 3, sizes.cells);
  return sizes;
}

/// Of the launches beside the sums of a version in blocks of rows, of which an item keeps as many as a block has.
LaunchSizes sizesBeside(DeviceText::Version::Beside which, const Placement &place) {
  const bool isStart = which == DeviceText::Version::Beside::Start;
  LaunchSizes sizes{{1, 1, 1}, {isStart ? 1 : place.rowsOfBlock, 1, 1}};
  std::copy_n(isStart ? pb::device::kGroupOfStart : pb::device::kGroupOfFinish, 3, sizes.group);
  return sizes;
}

/// Each version of each kernel once.
void eachVersion(const Input &in, const Dialect &dialect, const TakeVersion &take) {
  for (const auto &t : in.module.transforms) {
    std::set<const kernel::OnDevice *> seen;
    const auto &plans = in.plans[t.index].plans;
    for (std::size_t p = 0; p < plans.size(); ++p)
      for (std::size_t s = 0; s < plans[p].steps.size(); ++s) {
        const auto &device = (*in.devices)[t.index][p][s];
        if (!device || !device->items || !seen.insert(device.get()).second)
          continue;
        const std::string name = schedule::stepName(t, plans[p].steps[s]);
        const Owner owner{t, plans[p].alternative, name};
        const DeviceText text = deviceText(*device, kernelEntry(t, name), realNames(t), dialect);
        for (const DeviceText::Version &version : text.versions) {
          for (const DeviceText::Map &map : version.maps) {
            DeviceText::Version only = map.text->versions.front();
            only.variant = fmt::format("{}, copy of {}", version.variant, map.matrix);
            only.isCopy = true;
            take(owner, *map.text, only);
          }
          using Beside = DeviceText::Version::Beside;
          const auto beside = [&](const std::shared_ptr<const DeviceText> &part, Beside which) {
            DeviceText::Version only = part->versions.front();
            only.variant = fmt::format("{}, {} of rows", version.variant, only.variant);
            only.beside = which;
            take(owner, *part, only);
          };
          if (version.rows)
            beside(version.rows->start, Beside::Start), beside(version.rows->finish, Beside::Finish);
          take(owner, text, version);
        }
      }
  }
}

} // namespace

const std::vector<DeviceLanguage> &deviceLanguages() {
  static const DeviceC c;
  static const Metal metal;
  static const std::vector<DeviceLanguage> all{
      {"opencl", c, pb::device::kOpenClPrelude},
      {"cuda", c, pb::device::kCudaPrelude},
      {"metal", metal,
       "#include <metal_stdlib>\nusing namespace metal;\n"
       "inline long pb_floordiv(long a, long b) { return a / b - (a % b < 0); }\n"},
  };
  return all;
}

std::string deviceTexts(const Input &in, const DeviceLanguage &language) {
  std::string out = fmt::format("// ==== prelude\n{}", language.prelude);
  eachVersion(
      in, language.dialect, [&](const Owner &of, const DeviceText &, const DeviceText::Version &version) {
        out +=
            fmt::format("// ==== {}.{}, {}\n{}", of.transform.name, of.step, version.variant, version.text);
      });
  return out;
}

namespace {

loop::LaunchShape shapeOf(const LaunchSizes &sizes, int rowsAtOnce, std::map<std::string, long> ofBuild) {
  loop::LaunchShape shape;
  shape.sizes = std::move(ofBuild);
  std::copy(std::begin(sizes.group), std::end(sizes.group), shape.group);
  std::copy(std::begin(sizes.cells), std::end(sizes.cells), shape.cells);
  shape.rows = rowsAtOnce && shape.cells[1] % rowsAtOnce == 0 ? rowsAtOnce : shape.cells[1];
  return shape;
}

void take(DeviceSource &one, const LaunchSizes &sizes) {
  one.shape = shapeOf(sizes, one.rowsAtOnce, std::move(one.shape.sizes));
  std::copy(std::begin(sizes.group), std::end(sizes.group), one.source.group);
  std::copy(std::begin(sizes.cells), std::end(sizes.cells), one.cells);
  one.source.text = fmt::format(
      "#define PB_UNIT 1\n#define PB_WIDE 1\n#define PB_INDEX {}\n#define PB_C0 {}\n#define PB_C1 "
      "{}\n#define PB_C2 {}\n{}",
      one.indexBits == 32 ? "int" : "long", sizes.cells[0], sizes.cells[1], sizes.cells[2], one.body);
}

/// Along the dimensions that items have.
void change(LaunchSizes &sizes, const Placement &place, const std::string &version,
            const LaunchRequest &request) {
  for (int d = 0; d < place.itemDimensions; ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (request.group)
      sizes.group[d] = (*request.group)[at];
    if (request.cells && hasSeveralCells(place, version) && (d < 2 || version == "registers"))
      sizes.cells[d] = (*request.cells)[at];
  }
}

/// The sizes for which the version is built, of which some may be products of others.
std::map<std::string, long> ofBuild(const sema::Transform &t, const DeviceText::Version &version,
                                    const BuiltSizes &built) {
  const auto valueOf = [&](const std::string &size) {
    const auto given = built.given.find(size);
    return given == built.given.end() ? std::nullopt : std::optional(given->second);
  };
  std::map<std::string, long> sizes;
  for (const kernel::SizeOfBuild &s : version.sizes) {
    std::optional<long> value = valueOf(s.size);
    const auto product = std::ranges::find(t.products, s.size, &sema::SizeProduct::name);
    if (product != t.products.end()) {
      value = 1;
      for (const std::string &factor : product->factors)
        value = value && valueOf(factor) ? std::optional(*value * *valueOf(factor)) : std::nullopt;
    }
    sizes[s.size] = value.value_or(built.others);
  }
  return sizes;
}

} // namespace

std::vector<source::Origin> originsOfLines(const DeviceSource &kernel) {
  const auto linesOf = [](const std::string &text) { return std::count(text.begin(), text.end(), '\n'); };
  std::vector<source::Origin> all(
      static_cast<std::size_t>(linesOf(kernel.source.text) - linesOf(kernel.body)));
  for (const int statement : kernel.statements)
    all.push_back(statement != DeviceText::kNoStatement ? kernel.origins[static_cast<std::size_t>(statement)]
                                                        : source::Origin{});
  return all;
}

long mostSizeOfBuild() { return pb::device::kMostSizeOfBuild; }

long localBytes(const DeviceSource &kernel) {
  std::vector<long> sizes;
  for (const DeviceSource::Size &s : kernel.sizes)
    sizes.push_back(s.value);
  return localBytes(kernel.localArrays, kernel.source.group, kernel.cells, sizes);
}

DeviceSource shaped(const DeviceSource &from, const LaunchRequest &request) {
  LaunchSizes sizes;
  const auto copy = [](const std::optional<std::array<int, 3>> &asked, const int(&own)[3], int(&to)[3]) {
    std::copy(std::begin(own), std::end(own), to);
    if (asked)
      std::copy(asked->begin(), asked->end(), to);
  };
  copy(request.group, from.source.group, sizes.group);
  copy(request.cells, from.cells, sizes.cells);
  DeviceSource made = from;
  take(made, sizes);
  return made;
}

std::vector<DeviceSource> deviceSources(const Input &in, const LaunchRequest &request) {
  std::vector<DeviceSource> all;
  eachVersion(
      in, DeviceC(), [&](const Owner &of, const DeviceText &text, const DeviceText::Version &version) {
        const sema::Transform &t = of.transform;
        const std::vector<Placement> places = placements(in, t);
        const auto place =
            std::find_if(places.begin(), places.end(), [&](const Placement &p) { return p.name == of.step; });
        const bool isBeside = version.beside != DeviceText::Version::Beside::Nothing;
        LaunchSizes sizes = version.isCopy ? sizesOfCopies()
                            : isBeside     ? sizesBeside(version.beside, *place)
                                           : defaultSizes(*place, version.variant);
        if (!version.isCopy && !isBeside)
          change(sizes, *place, version.variant, request);
        const auto rows = static_cast<int>(version.rowsAtOnce);
        const loop::LaunchShape shape = shapeOf(sizes, rows, ofBuild(t, version, request.sizes));
        DeviceSource one{t.name,
                         of.step,
                         version.variant,
                         of.alternative,
                         {},
                         loop::bankUses(version.matrices, version.loops, shape),
                         loop::sectorUses(version.matrices, version.loops, shape),
                         version.inRounds ? std::nullopt
                                          : loop::trafficOf(version.matrices, version.loops, shape)};
        one.indexBits = version.narrow > 0 && !request.isWide ? 32 : 64;
        for (const kernel::SizeOfBuild &s : version.sizes) {
          const long value = shape.sizes.at(s.size);
          one.sizes.push_back({poly::displayed(s.size), value, s.least});
          one.body += fmt::format("#define PB_V{} {}\n", text.placeOf(s), value);
        }
        one.statements.assign(version.sizes.size(), DeviceText::kNoStatement);
        one.statements.insert(one.statements.end(), version.statements.begin(), version.statements.end());
        one.body += version.text;
        one.rowsAtOnce = rows;
        one.dimensions = version.isCopy ? 2 : place->itemDimensions;
        one.hasCells = !version.isCopy && !isBeside && hasSeveralCells(*place, version.variant);
        one.source.entry = text.entry;
        one.localArrays = version.localArrays;
        one.loops = version.loops;
        one.matrices = version.matrices;
        one.origins = version.origins;
        one.script = version.script;
        one.shape = shape;
        take(one, sizes);
        one.sharesPoints = version.inRounds || version.isTeam;
        all.push_back(std::move(one));
      });
  return all;
}

} // namespace pbc::emit
