#include "tuner/space/program_space.h"

#include <algorithm>
#include <cmath>
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

Site readSite(const std::string &transform, const json &entry) {
  Site site{transform, text(entry, "name"), text(entry, "doc"), {}};
  if (entry.contains("key"))
    site.key = text(entry, "key");
  else if (site.name != transform)
    site.key = "choice_" + site.name;
  for (const json &alternative : entry.at("alternatives"))
    site.alternatives.push_back({text(alternative, "name"), text(alternative, "doc")});
  if (site.alternatives.empty())
    throw TunerError(fmt::format("the program's site {} has no alternative", site.title()));
  return site;
}

Tunable readTunable(const std::string &transform, const json &entry) {
  Tunable tunable;
  tunable.transform = transform;
  tunable.name = text(entry, "name");
  tunable.doc = text(entry, "doc");
  tunable.integer = text(entry, "kind") != "float";
  tunable.logarithmic = entry.value("logarithmic", false);
  tunable.initial = entry.at("initial").get<double>();
  tunable.minimum = entry.at("min").get<double>();
  tunable.maximum = entry.at("max").get<double>();
  if (!(tunable.minimum <= tunable.initial && tunable.initial <= tunable.maximum))
    throw TunerError(fmt::format("the program's tunable {} starts at {}, outside its range {} to {}",
                                 tunable.title(), tunable.initial, tunable.minimum, tunable.maximum));
  return tunable;
}

/// `main` may be the transform's name or its number.
const json &findMain(const json &info) {
  const json &transforms = info.at("transforms");
  const json &main = info.at("main");
  if (main.is_number_integer())
    return transforms.at(main.get<std::size_t>());
  for (const json &transform : transforms)
    if (text(transform, "name") == main.get<std::string>())
      return transform;
  throw TunerError(
      fmt::format("the program names a main transform '{}' that it does not have", main.get<std::string>()));
}

ProgramSpace read(const json &info) {
  ProgramSpace space;
  space.program = text(info, "name");
  space.hash = text(info, "hash");
  space.compiler = text(info, "compiler");
  const json &main = findMain(info);
  space.main = text(main, "name");
  space.sizes = names(main, "sizes");
  space.params = names(main, "params");
  for (const json &matrix : main.value("matrices", json::array()))
    space.matrices.push_back({text(matrix, "name"), text(matrix, "role"), text(matrix, "extents")});
  const std::string generator = text(main, "generator");
  for (const json &transform : info.at("transforms")) {
    const std::string name = text(transform, "name");
    if (!generator.empty() && name == generator)
      continue;
    for (const json &entry : transform.value("sites", json::array()))
      space.sites.push_back(readSite(name, entry));
    for (const json &entry : transform.value("tunables", json::array()))
      space.tunables.push_back(readTunable(name, entry));
  }
  return space;
}

} // namespace

double Tunable::clamp(double value) const {
  if (std::isnan(value))
    return initial;
  double result = std::clamp(value, minimum, maximum);
  if (integer)
    result = std::clamp(std::round(result), std::ceil(minimum), std::floor(maximum));
  return result;
}

int ProgramSpace::openDecisions() const {
  const auto open = std::count_if(sites.begin(), sites.end(),
                                  [](const Site &site) { return site.alternatives.size() > 1; }) +
                    std::count_if(tunables.begin(), tunables.end(),
                                  [](const Tunable &tunable) { return tunable.minimum < tunable.maximum; });
  return static_cast<int>(open);
}

ProgramSpace parseProgramSpace(const std::string &source) {
  try {
    return read(json::parse(source));
  } catch (const json::exception &problem) {
    throw TunerError(fmt::format("the program's description (--info) cannot be read: {}\n"
                                 "  help: compile the program again with this pbc",
                                 problem.what()));
  }
}

} // namespace pbc::tuner
