// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/space/provenance.h"

#include "tuner/space/toml.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <toml++/toml.h>

namespace pbc::tuner {
namespace {

std::string decimal(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string dateOf(const toml::node_view<const toml::node> &node) {
  std::ostringstream text;
  if (const auto *date = node.as_date_time())
    text << date->get();
  return text.str();
}

} // namespace

std::string dateNow() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string inWords(const Machine &machine) {
  std::string text =
      fmt::format("{}, {} processor{}", machine.processor, machine.cores, machine.cores == 1 ? "" : "s");
  for (const Device &device : machine.devices)
    text += fmt::format(", {} ({}, driver {})", device.id, device.name, device.driver);
  return text;
}

std::string toToml(const Provenance &p) {
  const auto textOf = [](const std::string &text) { return tomlText(text); };
  std::string result = "[made-by]\n";
  const auto line = [&](const char *key, const std::string &value) {
    result += fmt::format("{} = {}\n", key, value);
  };
  line("tool", tomlText(p.tool));
  if (!p.date.empty())
    line("date", p.date);
  const Machine &m = p.machine;
  line("machine", fmt::format("{{ processor = {}, cores = {}, l1 = {}, l2 = {}, l3 = {} }}",
                              tomlText(m.processor), m.cores, m.firstCache, m.secondCache, m.thirdCache));
  std::vector<std::string> devices, sizes, transforms;
  for (const Device &d : m.devices)
    devices.push_back(
        fmt::format("{{ id = {}, name = {}, driver = {} }}", textOf(d.id), textOf(d.name), textOf(d.driver)));
  for (const std::string &size : p.sizes)
    sizes.push_back(tomlText(size));
  for (const auto &[name, hash] : p.transforms)
    transforms.push_back(fmt::format("{} = {}", tomlKey(name), tomlText(hash)));
  if (!devices.empty())
    line("devices", fmt::format("[ {} ]", fmt::join(devices, ", ")));
  line("objective", tomlText(p.objective));
  line("effort", tomlText(p.effort));
  line("budget", decimal(p.budget));
  line("seed", std::to_string(p.seed));
  line("sizes", fmt::format("[ {} ]", fmt::join(sizes, ", ")));
  line("measurements", std::to_string(p.measurements));
  line("default_seconds", decimal(p.defaultSeconds));
  line("tuned_seconds", decimal(p.tunedSeconds));
  std::vector<std::string> bins;
  for (const Provenance::Bin &bin : p.bins)
    bins.push_back(fmt::format(
        "{{ transform = {}, size = {}, measurements = {}, default_seconds = {}, tuned_seconds = {} }}",
        tomlText(bin.transform), tomlText(bin.size), bin.measurements, decimal(bin.defaultSeconds),
        decimal(bin.tunedSeconds)));
  if (!bins.empty())
    line("bins", fmt::format("[ {} ]", fmt::join(bins, ", ")));
  line("transforms", fmt::format("{{ {} }}", fmt::join(transforms, ", ")));
  return result;
}

std::optional<Provenance> provenanceOf(const std::string &text) {
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error &) {
    return {};
  }
  const toml::table *table = root["made-by"].as_table();
  if (!table)
    return {};
  const toml::table &made = *table;
  Provenance p;
  const auto textAt = [](const toml::table &t, const char *key) { return t[key].value_or(std::string()); };
  p.tool = textAt(made, "tool");
  p.date = dateOf(made["date"]);
  if (const toml::table *m = made["machine"].as_table())
    p.machine = {textAt(*m, "processor"), (*m)["cores"].value_or(0), (*m)["l1"].value_or(0L),
                 (*m)["l2"].value_or(0L), (*m)["l3"].value_or(0L),   {}};
  if (const toml::array *devices = made["devices"].as_array())
    for (const toml::node &node : *devices)
      if (const toml::table *d = node.as_table())
        p.machine.devices.push_back({textAt(*d, "id"), textAt(*d, "name"), textAt(*d, "driver")});
  p.objective = made["objective"].value_or(std::string("time"));
  p.effort = textAt(made, "effort");
  p.budget = made["budget"].value_or(0.0);
  p.seed = made["seed"].value_or(0L);
  if (const toml::array *sizes = made["sizes"].as_array())
    for (const toml::node &node : *sizes)
      p.sizes.push_back(node.value_or(std::string()));
  p.measurements = made["measurements"].value_or(0L);
  p.defaultSeconds = made["default_seconds"].value_or(0.0);
  p.tunedSeconds = made["tuned_seconds"].value_or(0.0);
  if (const toml::array *bins = made["bins"].as_array())
    for (const toml::node &node : *bins)
      if (const toml::table *bin = node.as_table())
        p.bins.push_back({textAt(*bin, "transform"), textAt(*bin, "size"),
                          (*bin)["measurements"].value_or(0L), (*bin)["default_seconds"].value_or(0.0),
                          (*bin)["tuned_seconds"].value_or(0.0)});
  if (const toml::table *transforms = made["transforms"].as_table())
    for (const auto &[name, hash] : *transforms)
      p.transforms[std::string(name.str())] = hash.value_or(std::string());
  return p;
}

} // namespace pbc::tuner
