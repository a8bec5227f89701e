// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/space/program_space.h"

#include "tuner/space/calls.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

using nlohmann::json;

std::string text(const json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> names(const json &object, const char *key) {
  std::vector<std::string> result;
  for (const json &entry : object.value(key, json::array()))
    result.push_back(entry.is_string() ? entry.get<std::string>() : text(entry, "name"));
  return result;
}

bool needsDevice(const json &entry) { return entry.value("device", false); }

/// Whether a machine without a device has a choice there: other schedules on the processor.
bool isChoiceWithoutDevice(const json &site) {
  const json &all = site.at("alternatives");
  const auto onDevice = std::count_if(all.begin(), all.end(), needsDevice);
  return !needsDevice(site) || (onDevice > 0 && onDevice + 1 < static_cast<long>(all.size()));
}

/// The site without those alternatives that this machine cannot choose.
Site readSite(const std::string &transform, const json &entry, bool hasDevice) {
  Site site{transform, text(entry, "name"), text(entry, "doc"), {}};
  if (entry.contains("key"))
    site.key = text(entry, "key");
  else if (site.name != transform)
    site.key = "choice_" + site.name;
  for (const json &alternative : entry.at("alternatives"))
    if (hasDevice || !needsDevice(alternative))
      site.alternatives.push_back({text(alternative, "name"), text(alternative, "doc")});
  if (site.alternatives.empty())
    throw TunerError(fmt::format("the program's site {} has no alternative", site.title()));
  return site;
}

std::vector<Tunable> readTunable(const std::string &transform, const json &entry) {
  Tunable tunable;
  tunable.transform = transform;
  tunable.name = text(entry, "name");
  tunable.doc = text(entry, "doc");
  tunable.integer = text(entry, "kind") != "float";
  tunable.logarithmic = entry.value("logarithmic", false);
  tunable.initial = entry.at("initial").get<double>();
  tunable.minimum = entry.at("min").get<double>();
  tunable.maximum = entry.at("max").get<double>();
  tunable.byDefault = tunable.initial;
  if (!(tunable.minimum <= tunable.initial && tunable.initial <= tunable.maximum))
    throw TunerError(fmt::format("the program's tunable {} starts at {}, outside its range {} to {}",
                                 tunable.title(), tunable.initial, tunable.minimum, tunable.maximum));
  tunable.forAccuracy = entry.value("accuracy", false);
  tunable.isFixed = entry.value("config", false);
  std::vector<Tunable> all;
  const int sizes = entry.value("by_size", 0), length = entry.value("length", 0);
  for (int size = 0; size < std::max(sizes, 1); ++size)
    for (int element = 0; element < std::max(length, 1); ++element) {
      tunable.sizeBin = sizes ? size : -1;
      tunable.element = length ? element : -1;
      all.push_back(tunable);
    }
  return all;
}

/// From one to all processors, where halving and doubling are steps. More threads would only share
/// processors.
Tunable readThreads(const json &entry) {
  Tunable threads;
  threads.name = "threads";
  threads.doc = text(entry, "doc");
  threads.logarithmic = true;
  threads.minimum = 1;
  threads.byDefault = threads.initial = threads.maximum = std::max(entry.at("initial").get<double>(), 1.0);
  return threads;
}

/// The transform's sites and tunables begin at these indices.
void readConditions(ProgramSpace &space, const json &transform, std::size_t firstSite,
                    std::size_t firstTunable) {
  const auto siteOf = [&](const std::string &name) {
    const auto at = std::find_if(space.sites.begin() + static_cast<std::ptrdiff_t>(firstSite),
                                 space.sites.end(), [&](const Site &site) { return site.name == name; });
    return at == space.sites.end() ? -1 : static_cast<int>(at - space.sites.begin());
  };
  for (std::size_t i = firstTunable; i < space.tunables.size(); ++i)
    for (const json &entry : transform.value("tunables", json::array()))
      if (text(entry, "name") == space.tunables[i].name)
        for (const json &when : entry.value("when", json::array()))
          if (const int site = siteOf(text(when, "site")); site >= 0) {
            Condition condition{site, {}};
            const std::vector<Alternative> &all = space.sites[static_cast<std::size_t>(site)].alternatives;
            for (std::size_t a = 0; a < all.size(); ++a)
              for (const json &use : when.at("uses"))
                if (use.get<std::string>() == all[a].name)
                  condition.uses.push_back(static_cast<int>(a));
            space.tunables[i].when.push_back(std::move(condition));
          }
  for (const json &entry : transform.value("constraints", json::array())) {
    Constraint constraint{text(entry, "doc"), {}, entry.at("most").get<double>()};
    for (const json &name : entry.at("product"))
      for (std::size_t i = firstTunable; i < space.tunables.size(); ++i)
        if (space.tunables[i].name == name.get<std::string>())
          constraint.tunables.push_back(static_cast<int>(i));
    if (!constraint.tunables.empty())
      space.constraints.push_back(std::move(constraint));
  }
}

/// `main` may be the transform's name or its number.
const json &findMain(const json &info, const std::string &wanted) {
  const json &transforms = info.at("transforms");
  const json main = wanted.empty() ? info.at("main") : json(wanted);
  if (main.is_number_integer())
    return transforms.at(main.get<std::size_t>());
  for (const json &transform : transforms)
    if (text(transform, "name") == main.get<std::string>())
      return transform;
  throw TunerError(
      fmt::format("the program names a main transform '{}' that it does not have", main.get<std::string>()));
}

/// Reads what a transform's rules call, and what else runs because of it. Its choice is among the sites from
/// `firstSite` on.
Calls readCalls(const json &transform, const ProgramSpace &space, std::size_t firstSite) {
  const auto callees = [](const json &entry) { return entry.value("calls", std::set<std::string>{}); };
  Calls calls{text(transform, "name"), callees(transform)};
  for (const json &entry : transform.value("sites", json::array()))
    for (std::size_t site = firstSite; site < space.sites.size(); ++site)
      if (space.sites[site].key == "choice" && space.sites[site].name == text(entry, "name")) {
        calls.site = static_cast<int>(site);
        for (const json &alternative : entry.at("alternatives"))
          calls.byUse.push_back(callees(alternative));
      }
  for (const char *other : {"accuracy_metric", "input_feature"})
    if (transform.contains(other)) {
      calls.all.insert(text(transform, other));
      for (std::set<std::string> &use : calls.byUse)
        use.insert(text(transform, other));
    }
  return calls;
}

Machine readMachine(const json &info) {
  const json machine = info.value("machine", json::object());
  Machine result{text(machine, "processor"), machine.value("cores", 0), machine.value("l1", 0L),
                 machine.value("l2", 0L),    machine.value("l3", 0L),   {}};
  for (const json &device : machine.value("devices", json::array()))
    result.devices.push_back({text(device, "id"), text(device, "name"), text(device, "driver")});
  return result;
}

ProgramSpace read(const json &info, const std::string &wanted) {
  ProgramSpace space;
  space.program = text(info, "name");
  space.hash = text(info, "hash");
  space.compiler = text(info, "compiler");
  space.machine = readMachine(info);
  for (const json &transform : info.at("transforms"))
    if (transform.contains("hash"))
      space.transforms[text(transform, "name")] = text(transform, "hash");
  const json &main = findMain(info, wanted);
  space.main = text(main, "name");
  space.sizes = names(main, "sizes");
  space.params = names(main, "params");
  for (const json &matrix : main.value("matrices", json::array()))
    space.matrices.push_back({text(matrix, "name"), text(matrix, "role"), text(matrix, "extents")});
  const std::string generator = text(main, "generator");
  // Where steps run is a decision only on a machine that has a device.
  const bool hasDevice = !info.value("devices", json::array()).empty();
  std::vector<Calls> calls;
  for (const json &transform : info.at("transforms")) {
    const std::string name = text(transform, "name");
    if (!generator.empty() && name == generator)
      continue;
    const std::size_t firstSite = space.sites.size(), firstTunable = space.tunables.size();
    for (const json &entry : transform.value("sites", json::array()))
      if (hasDevice || isChoiceWithoutDevice(entry))
        space.sites.push_back(readSite(name, entry, hasDevice));
    for (const json &entry : transform.value("tunables", json::array()))
      if (hasDevice || !needsDevice(entry))
        for (Tunable &tunable : readTunable(name, entry))
          space.tunables.push_back(std::move(tunable));
    readConditions(space, transform, firstSite, firstTunable);
    calls.push_back(readCalls(transform, space, firstSite));
    if (transform.contains("accuracy_target") && family(name) == family(space.main))
      space.bins.push_back(name);
  }
  if (main.contains("accuracy_target"))
    space.goal =
        AccuracyGoal{main.at("accuracy_target").get<double>(), text(main, "accuracy_better") != "smaller"};
  if (space.bins.empty())
    space.bins.push_back(space.main);
  noteCalls(space, calls);
  if (info.contains("threads"))
    space.tunables.push_back(readThreads(info.at("threads")));
  return space;
}

} // namespace

std::string Tunable::titleOfAll() const {
  const std::string title = isThreads() ? name : transform + "." + name;
  return element >= 0 ? fmt::format("{}[{}]", title, element) : title;
}

std::string Tunable::title() const {
  std::string title = titleOfAll();
  if (sizeBin >= 0)
    title += sizeBin == 0 ? " for n < 2" : fmt::format(" for n from {}", 1L << sizeBin);
  return title;
}

double Tunable::clamp(double value) const {
  if (std::isnan(value))
    return initial;
  double result = std::clamp(value, minimum, maximum);
  if (integer)
    result = std::clamp(std::round(result), std::ceil(minimum), std::floor(maximum));
  return result;
}

std::string ProgramSpace::journalKey() const {
  if (transforms.empty())
    return hash;                          // the program gives no hashes
  std::uint64_t sum = 0xcbf29ce484222325; // FNV-1a: the same on every machine
  const auto add = [&](const std::string &text) {
    for (const char c : text + "\n")
      sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  add(compiler);
  for (const auto &[name, textHash] : transforms) {
    add(name);
    add(textHash);
  }
  return fmt::format("{}-{:016x}", hash, sum);
}

bool ProgramSpace::isOpenAt(const Tunable &tunable, long n) const {
  return tunable.isOpen() && n >= tunable.opensAt &&
         (goal && tunable.transform == main ? tunable.isSeenAt(n) : tunable.isSeenUpTo(n));
}

int ProgramSpace::openDecisions() const {
  const auto open =
      std::count_if(sites.begin(), sites.end(), [](const Site &site) { return site.isOpen(); }) +
      std::count_if(tunables.begin(), tunables.end(), [](const Tunable &tunable) {
        // This decides for all sizes.
        return tunable.isOpen() && tunable.sizeBin <= 0;
      });
  return static_cast<int>(open);
}

void fixThreads(ProgramSpace &space, int threads) {
  for (Tunable &tunable : space.tunables)
    if (tunable.isThreads())
      tunable.initial = tunable.minimum = tunable.maximum = threads > 0 ? threads : tunable.initial;
}

void decideThreadsAt(ProgramSpace &space, long n) {
  for (Tunable &tunable : space.tunables)
    if (tunable.isThreads())
      tunable.opensAt = n;
}

ProgramSpace parseProgramSpace(const std::string &source, const std::string &main) {
  try {
    return read(json::parse(source), main);
  } catch (const json::exception &problem) {
    throw TunerError(fmt::format("the program's description (--info) cannot be read: {}\n"
                                 "  help: compile the program again with this pbc",
                                 problem.what()));
  }
}

} // namespace pbc::tuner
