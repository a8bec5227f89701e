// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/devices.h"
#include "compiler/body/device_body.h"
#include "compiler/emit/dialect/device_c.h"
#include "compiler/emit/initialiser.h"
#include "compiler/emit/kernel/device_text.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/group_tiles.h"
#include "compiler/poly/names.h"
#include <algorithm>

namespace pbc::emit {

namespace {

/// Makes an identifier from a name.
std::string identifier(const std::string &name) {
  std::string out;
  for (const char c : name)
    out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

/// "{0, 0}, {n, 1}"
std::string limitsText(const std::vector<kernel::Interval> &intervals) {
  std::string low, high;
  for (const kernel::Interval &i : intervals) {
    low += (low.empty() ? "" : ", ") + poly::cxx(i.low);
    high += (high.empty() ? "" : ", ") + poly::cxx(i.high);
  }
  return fmt::format("{{{}}}, {{{}}}", low, high);
}

std::string cellsText(const char *which, int position, const std::optional<kernel::CellsBox> &box) {
  if (!box)
    return "";
  return fmt::format("  {}pb_a->{}[{}] = {{{}}};\n",
                     box->condition ? fmt::format("if ({}) ", poly::cxxCondition(*box->condition)) : "",
                     which, position, limitsText(box->cells));
}

} // namespace

bool usesDevices(const Input &input) {
  if (!input.devices)
    return false;
  for (const auto &transform : *input.devices)
    for (const auto &plan : transform)
      for (const auto &step : plan)
        if (step && step->isPossible())
          return true;
  return false;
}

bool onlyPasses(const Scope &scope, const schedule::Step &step) {
  return std::all_of(step.uses.begin(), step.uses.end(), [&](const auto &use) {
    const body::Facts &facts = scope.facts()[use.rule];
    return facts.onlyPasses && std::all_of(facts.callees.begin(), facts.callees.end(), [&](const auto &name) {
             const auto family = scope.input.module.family(name);
             return std::none_of(family.begin(), family.end(), // memoized transforms compare their inputs
                                 [](const sema::Transform *t) { return t->isMemoized; });
           });
  });
}

bool callsStay(const Scope &scope, int rule) {
  if (!usesDevices(scope.input))
    return false;
  for (const schedule::Plan &plan : scope.input.plans[scope.transform.index].plans)
    for (const schedule::Step &step : plan.steps)
      if (std::any_of(step.uses.begin(), step.uses.end(),
                      [&](const auto &use) { return use.rule == rule; }) &&
          !onlyPasses(scope, step))
        return false;
  return true;
}

std::string kernelEntry(const sema::Transform &t, const std::string &step) {
  return identifier(fmt::format("pb_{}_{}", t.symbol, step));
}

std::set<std::string> realNames(const sema::Transform &t) {
  std::set<std::string> names;
  for (const auto &k : t.tunables)
    if (k.isFloat) {
      names.insert(poly::mangle(k.name));
      for (int e = 0; e < k.length; ++e)
        names.insert(poly::mangle(body::elementName(k.name, e)));
    }
  return names;
}

DeviceTables::DeviceTables(const Scope &scope)
    : scope_(scope), t_(scope.transform), isUsed_(usesDevices(scope.input)) {
  reals_ = realNames(t_);
}

std::string DeviceTables::ofStep(std::size_t plan, std::size_t step) {
  if (!isUsed_)
    return "";
  const auto &device = (*scope_.input.devices)[t_.index][plan][step];
  const schedule::Step &s = scope_.input.plans[t_.index].plans[plan].steps[step];
  const void *key = device && device->isPossible() ? static_cast<const void *>(device.get()) : &s;
  const auto [at, isNew] = names_.emplace(key, "");
  if (isNew)
    at->second = table(s, device.get());
  return at->second;
}

std::string DeviceTables::ofTransform() {
  if (!isUsed_)
    return "";
  std::vector<std::pair<int, bool>> all;
  for (std::size_t m = 0; m < t_.matrices.size(); ++m)
    if (t_.matrices[m].role != sema::Role::Through)
      all.emplace_back(static_cast<int>(m), t_.matrices[m].role == sema::Role::Output);
  return wholeMatrices(t_.name, all);
}

std::string DeviceTables::ofInputs(const std::vector<int> &matrices) {
  if (!isUsed_)
    return "";
  std::vector<std::pair<int, bool>> all;
  for (const int m : matrices)
    all.emplace_back(m, false);
  return wholeMatrices(t_.name, all);
}

std::string DeviceTables::matrixRow(const sema::Matrix &m, bool reads, bool writes, bool covers) const {
  return tableRow(
      {{"name", quoted(m.name)},
       {"rank", m.rank()},
       {"elementBytes", sema::bytes(m.element)},
       {"reads", reads},
       {"writes", writes},
       {"covers", covers},
       {"region", fmt::format("__builtin_offsetof({}, m_{})", scope_.frame(), poly::mangle(m.name))}});
}

std::size_t DeviceTables::placeOf(const std::string &step) const {
  const auto all = placements(scope_);
  return static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const auto &p) { return p.name == step; }) - all.begin());
}

std::string DeviceTables::wholeMatrices(const std::string &name,
                                        const std::vector<std::pair<int, bool>> &matrices) {
  const std::string number = std::to_string(count_++);
  std::string rows;
  for (const auto &[m, isWritten] : matrices)
    rows += matrixRow(t_.matrices[m], true, isWritten, false);
  text_ += fmt::format("static const pb::DeviceMatrix pb_touched_{0}[] = {{\n{1}  {{}}\n}};\n\n"
                       "static const pb::DeviceStep pb_device_{0} = {2};\n\n",
                       number, rows,
                       initialiser({{"name", quoted(name)},
                                    {"matrices", "pb_touched_" + number},
                                    {"matrixCount", matrices.size()},
                                    {"shared", -1},
                                    {"sharedInLoop", -1}}));
  return "pb_device_" + number;
}

std::string DeviceTables::table(const schedule::Step &step, const kernel::OnDevice *device) {
  const std::string name = schedule::stepName(t_, step);
  if (device && device->libraryRule >= 0)
    return library(name, *t_.rules[device->libraryRule].library);
  if (!device || !device->items) {
    std::map<int, bool> matrices; // whether they are written
    for (const auto &use : step.uses) {
      for (const auto &i : t_.rules[use.rule].inputs)
        matrices.emplace(i.matrix, false);
      for (const auto &o : t_.rules[use.rule].outputs)
        matrices[o.matrix] = true;
    }
    return wholeMatrices(name, {matrices.begin(), matrices.end()});
  }
  const std::string number = std::to_string(count_++);
  const DeviceText texts = deviceText(*device, kernelEntry(t_, name), reals_, DeviceC());
  const std::size_t place = placeOf(name);
  const Placement placement = placements(scope_)[place];
  const std::vector<std::string> versions = versionsOf(placement);
  const std::size_t schedules = placement.versions.size();
  const kernel::DeviceVersion *tiles = device->version("tiles");
  if (tiles && std::find(versions.begin(), versions.end(), "tiles") != versions.end())
    text_ += boxFunction("pb_tiles_" + number, tiles->kernel);
  kernels(*device, texts, placement, number);
  arguments(*device, texts, number);
  if (!device->parts.empty())
    text_ += partsFunction("pb_parts_" + number, device->parts);
  const auto slot = [&](const char *of, std::size_t each) {
    return fmt::format("{}.own + {}", placementSlot(scope_, of), each * place * t_.binCount());
  };
  text_ += fmt::format("static const pb::DeviceStep pb_device_{} = {};\n\n", number,
                       initialiser({{"name", quoted(name)},
                                    {"kernels", "pb_kernels_" + number},
                                    {"kernelCount", versions.size()},
                                    {"matrices", "pb_touched_" + number},
                                    {"matrixCount", device->touched.size()},
                                    {"valueCount", texts.values.size() + texts.extents.size()},
                                    {"box", "pb_items_" + number},
                                    {"arguments", "pb_arguments_" + number},
                                    {"inRounds", device->items->inRounds()},
                                    {"shared", device->shared},
                                    {"sharedInLoop", device->sharedInTasks},
                                    {"placement", slot("place", 1)},
                                    {"ratio", placementSlot(scope_, "ratio") + ".own"},
                                    {"group", slot("group", 3)},
                                    {"cells", slot("cells", 3)},
                                    {"tile", slot("tile", kernel::kMostTileFunctions)},
                                    {"teams", slot("teams", 2)},
                                    {"steps", slot("rounds", 3)},
                                    {"rows", placement.rowsOfBlock ? slot("blockrows", 1) : ""},
                                    {"versions", schedules ? std::to_string(schedules) : ""},
                                    {"realValues", realValues(texts.values)},
                                    {"parts", device->parts.empty() ? "" : "pb_parts_" + number}}));
  return "pb_device_" + number;
}

std::string DeviceTables::teams(const kernel::OnDevice &device, const DeviceText::Version &version,
                                const std::string &number) {
  const std::optional<isl::pw_aff> &steps = device.cooperation->steps;
  if (steps)
    text_ +=
        fmt::format("PB_SMALL static long pb_steps_{}(const pb::Frame *pb_p, const pb::Box *pb_part) {{\n{}{}"
                    "  return {};\n}}\n\n",
                    number, frameText(), limits(device), poly::cxx(*steps));
  text_ += fmt::format("static const pb::DeviceTeams pb_teams_{} = {};\n\n", number,
                       initialiser({{"steps", steps ? "pb_steps_" + number : "nullptr"},
                                    {"values", version.values},
                                    {"passes", device.cooperation->scan ? 3 : 2}}));
  return "&pb_teams_" + number;
}

std::string DeviceTables::steps(const kernel::DeviceVersion &version, const std::string &number) {
  const kernel::TimeSteps &how = *version.kernel.schedule.steps;
  std::string reach;
  for (const long r : how.reach)
    reach += fmt::format("{}{}", reach.empty() ? "" : ", ", r);
  text_ +=
      fmt::format("static const pb::DeviceSteps pb_together_{} = {};\n\n", number,
                  initialiser({{"slots", how.slots}, {"alone", how.alone}, {"reach", "{" + reach + "}"}}));
  return "&pb_together_" + number;
}

std::string DeviceTables::maps(const kernel::OnDevice &device, const DeviceText::Version &version,
                               const std::string &number) {
  std::string rows;
  for (std::size_t k = 0; k < version.maps.size(); ++k) {
    const DeviceText::Map &map = version.maps[k];
    const DeviceText::Version &only = map.text->versions.front();
    const std::string own = fmt::format("{}_{}", number, k);
    const int matrix = device.items->kernel.buffers[static_cast<std::size_t>(map.from)].matrix;
    const auto touched = std::find_if(device.touched.begin(), device.touched.end(),
                                      [&](const kernel::Touched &t) { return t.matrix == matrix; });
    std::string local = "nullptr", values;
    if (!only.localArrays.empty()) {
      local = "pb_map_bytes_" + own;
      text_ +=
          fmt::format("PB_SMALL static long {}([[maybe_unused]] const int *group, [[maybe_unused]] const "
                      "int *cells, [[maybe_unused]] const long *sizes) {{ return {}; }}\n\n",
                      local, localBytesText(only.localArrays));
    }
    int position = 0;
    for (const std::string &v : map.text->values)
      values += fmt::format("  pb_value[{}].{} = {};\n", position++, reals_.count(v) ? "real" : "integer",
                            valueInFrame(v));
    for (const auto &[b, d] : map.text->extents)
      values += fmt::format("  pb_value[{}].integer = pb_f.m_{}.size({});\n", position++,
                            map.kernel->buffers[static_cast<std::size_t>(b)].name, d);
    text_ += boxFunction("pb_map_box_" + own, *map.kernel) +
             fmt::format("PB_SMALL static void pb_map_values_{}(const pb::Frame *pb_p, "
                         "[[maybe_unused]] pb::DeviceArguments::Value *pb_value) {{\n{}{}}}\n\n",
                         own, frameText(), values) +
             fmt::format("static const pb::DeviceKernel pb_map_{}[] = {{\n{}}};\n\n", own,
                         tableRow({{"variant", quoted("copy")},
                                   {"source", fmt::format("R\"pb({})pb\"", only.text)},
                                   {"entry", quoted(map.text->entry)},
                                   {"localBytes", local}}));
    rows += tableRow({{"name", quoted("copy of " + map.matrix)},
                      {"matrix", touched - device.touched.begin()},
                      {"kernel", "pb_map_" + own},
                      {"valueCount", position},
                      {"box", "pb_map_box_" + own},
                      {"values", "pb_map_values_" + own}});
  }
  text_ += fmt::format("static const pb::DeviceMap pb_maps_{}[] = {{\n{}}};\n\n", number, rows);
  return "pb_maps_" + number;
}

std::string DeviceTables::sizesOfBuild(const DeviceText &texts, const DeviceText::Version &version,
                                       const std::string &number) {
  if (version.sizes.empty())
    return "";
  std::string rows;
  for (const kernel::SizeOfBuild &s : version.sizes)
    rows += tableRow(
        {{"name", quoted(poly::displayed(s.size))}, {"value", texts.placeOf(s)}, {"least", s.least}});
  text_ += fmt::format("static const pb::DeviceSize pb_sizes_{}[] = {{\n{}}};\n\n", number, rows);
  return "pb_sizes_" + number;
}

std::string DeviceTables::rowBlocks(const kernel::OnDevice &device, const DeviceText::Version &version,
                                    const std::string &number) {
  const kernel::RowBlocks &how = *version.rows->how;
  const std::vector<kernel::TaskDimension> &ofStep = device.items->kernel.schedule.taskDimensions;
  const auto part = [&](const char *name, const kernel::Scheduled &kernel, const DeviceText *text) {
    const std::string own = fmt::format("{}_{}", name, number);
    std::string along, values;
    for (const kernel::TaskDimension &d : kernel.schedule.taskDimensions) {
      const auto at =
          std::find_if(ofStep.begin(), ofStep.end(), [&](const auto &o) { return o.name == d.name; });
      along += fmt::format("{}{}", along.empty() ? "" : ", ", at == ofStep.end() ? -1 : at - ofStep.begin());
    }
    text_ += boxFunction("pb_rows_box_" + own, kernel);
    const std::string box = "pb_rows_box_" + own;
    along = "{" + along + "}";
    if (!text)
      return initialiser({{"box", box}, {"along", along}});
    int position = 0;
    for (const std::string &v : text->values)
      values += fmt::format("  pb_value[{}].{} = {};\n", position++, reals_.count(v) ? "real" : "integer",
                            valueInFrame(v));
    const DeviceText::Version &only = text->versions.front();
    text_ += fmt::format("PB_SMALL static void pb_rows_values_{}(const pb::Frame *pb_p, "
                         "[[maybe_unused]] pb::DeviceArguments::Value *pb_value) {{\n{}{}}}\n\n",
                         own, frameText(), values) +
             fmt::format("static const pb::DeviceKernel pb_rows_kernel_{}[] = {{\n{}}};\n\n", own,
                         tableRow({{"variant", quoted(name)},
                                   {"source", fmt::format("R\"pb({})pb\"", only.text)},
                                   {"entry", quoted(text->entry)},
                                   {"hasCells", text == version.rows->finish.get()},
                                   {"narrow", only.narrow}}));
    return initialiser({{"box", box},
                        {"along", along},
                        {"kernel", "pb_rows_kernel_" + own},
                        {"valueCount", position},
                        {"values", "pb_rows_values_" + own}});
  };
  const std::string start = part("start", how.start, version.rows->start.get()),
                    finish = part("finish", how.finish, version.rows->finish.get()),
                    update = part("update", device.version(version.variant)->kernel, nullptr);
  const int result = device.items->kernel.buffers[static_cast<std::size_t>(how.result)].matrix;
  const auto touched = std::find_if(device.touched.begin(), device.touched.end(),
                                    [&](const kernel::Touched &t) { return t.matrix == result; });
  text_ += fmt::format("PB_SMALL static void pb_all_rows_{}(const pb::Frame *pb_p, long pb_rows[2]) {{\n{}"
                       "  pb_rows[0] = {};\n  pb_rows[1] = {};\n}}\n\n",
                       number, frameText(), poly::cxx(how.low), poly::cxx(how.high)) +
           fmt::format(
               "static const pb::DeviceRows pb_in_rows_{} = {};\n\n", number,
               initialiser({{"start", start},
                            {"finish", finish},
                            {"update", update},
                            {"result", touched - device.touched.begin()},
                            {"elementBytes",
                             kernel::bytesOf(how.start.buffers[static_cast<std::size_t>(how.sums)].element)},
                            {"isBackward", how.isBackward},
                            {"rows", "pb_all_rows_" + number}}));
  return "&pb_in_rows_" + number;
}

std::string DeviceTables::limits(const kernel::OnDevice &device) {
  std::string text;
  for (std::size_t k = 0; k < device.items->kernel.schedule.taskDimensions.size(); ++k)
    text += fmt::format("  [[maybe_unused]] const long pb__low{0} = pb_part->low[{0}], pb__high{0} = "
                        "pb_part->high[{0}];\n",
                        k);
  return text;
}

void DeviceTables::kernels(const kernel::OnDevice &device, const DeviceText &texts,
                           const Placement &placement, const std::string &number) {
  std::string rows;
  int row = 0;
  for (const std::string &wanted : versionsOf(placement)) {
    const Placement::Named *named = namedOf(placement, wanted);
    ++row;
    const auto version = std::find_if(texts.versions.begin(), texts.versions.end(),
                                      [&](const auto &v) { return v.variant == wanted; });
    if (version == texts.versions.end()) {
      rows += tableRow({{"variant", quoted(wanted)}, {"entry", quoted(texts.entry)}});
      continue;
    }
    std::string local = "nullptr";
    if (!version->localArrays.empty()) {
      local = fmt::format("pb_{}_bytes_{}", named ? fmt::format("named{}", row) : wanted, number);
      text_ +=
          fmt::format("PB_SMALL static long {}([[maybe_unused]] const int *group, [[maybe_unused]] const "
                      "int *cells, [[maybe_unused]] const long *sizes) {{ return {}; }}\n\n",
                      local, localBytesText(version->localArrays));
    }
    const std::string sizes = sizesOfBuild(texts, *version, fmt::format("{}_{}", number, row));
    rows += tableRow(
        {{"variant", quoted(wanted)},
         {"source", fmt::format("R\"pb({})pb\"", version->text)},
         {"entry", quoted(texts.entry)},
         {"localBytes", local},
         {"hasCells", hasSeveralCells(placement, wanted) || wanted == "steps"},
         {"hasRuns", named ? named->hasRuns : wanted == "registers"},
         {"hasPlanes", version->hasPlanes ? "true" : ""},
         {"narrow", version->narrow},
         {"tiles", wanted == "tiles" ? "pb_tiles_" + number : "nullptr"},
         {"teams", wanted == "group" ? teams(device, *version, number) : "nullptr"},
         {"steps", wanted == "steps" ? steps(*device.version("steps"), number) : ""},
         {"maps", version->maps.empty() ? "" : maps(device, *version, fmt::format("{}_{}", number, row))},
         {"mapCount", version->maps.empty() ? "" : std::to_string(version->maps.size())},
         {"sizes", sizes},
         {"sizeCount", sizes.empty() ? "" : std::to_string(version->sizes.size())},
         {"rows", version->rows ? rowBlocks(device, *version, fmt::format("{}_{}", number, row)) : ""}});
  }
  text_ += fmt::format("static const pb::DeviceKernel pb_kernels_{}[] = {{\n{}}};\n\n", number, rows);
}

void DeviceTables::arguments(const kernel::OnDevice &device, const DeviceText &texts,
                             const std::string &number) {
  const kernel::Scheduled &kernel = device.items->kernel;
  std::string rows, body;
  int position = 0;
  for (const kernel::Touched &touched : device.touched) {
    const sema::Matrix &m = t_.matrices[touched.matrix];
    rows += matrixRow(m, touched.read.has_value(), touched.written.has_value(), touched.covers);
    body += cellsText("read", position, touched.read) + cellsText("written", position, touched.written);
    ++position;
  }
  position = 0;
  for (const std::string &v : texts.values)
    body += fmt::format("  pb_a->value[{}].{} = {};\n", position++, reals_.count(v) ? "real" : "integer",
                        valueInFrame(v));
  for (const auto &[b, d] : texts.extents)
    body += fmt::format("  pb_a->value[{}].integer = pb_f.m_{}.size({});\n", position++,
                        kernel.buffers[b].name, d);
  text_ += fmt::format("static const pb::DeviceMatrix pb_touched_{}[] = {{\n{}}};\n\n", number, rows) +
           boxFunction("pb_items_" + number, kernel) +
           fmt::format("PB_SMALL static void pb_arguments_{0}(const pb::Frame *pb_p, const pb::Box *pb_part, "
                       "pb::DeviceArguments *pb_a) {{\n{1}  pb::Box pb_whole;\n  if (!pb_part)\n"
                       "    pb_items_{0}(pb_p, &pb_whole), pb_part = &pb_whole;\n{2}{3}}}\n\n",
                       number, frameText(), limits(device), body);
}

/// A bit for each value that is a floating-point number.
unsigned long DeviceTables::realValues(const std::vector<std::string> &values) const {
  unsigned long all = 0;
  for (std::size_t v = 0; v < values.size(); ++v)
    if (reals_.count(values[v]) && v < 64)
      all |= 1UL << v;
  return all;
}

std::string DeviceTables::valueInFrame(const std::string &name) const {
  for (const sema::Tunable &k : t_.tunables)
    for (int e = 0; e < k.length; ++e)
      if (name == poly::mangle(body::elementName(k.name, e)))
        return fmt::format("pb_f.v_{}[{}]", poly::mangle(k.name), e);
  return "pb_f.v_" + name;
}

std::string DeviceTables::frameText() const {
  return fmt::format("  [[maybe_unused]] const {0} &pb_f = *static_cast<const {0} *>(pb_p);\n  {1}\n",
                     scope_.frame(), parameterDefinitions(scope_));
}

std::string DeviceTables::boxFunction(const std::string &name, const kernel::Scheduled &kernel) const {
  std::string box;
  for (std::size_t k = 0; k < kernel.schedule.taskDimensions.size(); ++k)
    box += fmt::format("  pb_box->low[{0}] = {1};\n  pb_box->high[{0}] = {2};\n", k,
                       poly::cxx(kernel.schedule.taskDimensions[k].low),
                       poly::cxx(kernel.schedule.taskDimensions[k].high));
  return fmt::format("PB_SMALL static void {}(const pb::Frame *pb_p, pb::Box *pb_box) {{\n{}"
                     "  pb_box->rank = {};\n{}}}\n\n",
                     name, frameText(), kernel.schedule.taskDimensions.size(), box);
}

std::string DeviceTables::partsFunction(const std::string &name,
                                        const std::vector<kernel::ItemPart> &parts) const {
  std::string body;
  for (const kernel::ItemPart &part : parts)
    body += fmt::format("  {}pb_boxes[pb_count++] = {{{}, {}}};\n",
                        part.condition ? fmt::format("if ({}) ", poly::cxxCondition(*part.condition)) : "",
                        part.functions.size(), limitsText(part.functions));
  return fmt::format("PB_SMALL static int {}(const pb::Frame *pb_p, pb::Box *pb_boxes) {{\n{}"
                     "  int pb_count = 0;\n{}  return pb_count;\n}}\n\n",
                     name, frameText(), body);
}

} // namespace pbc::emit
