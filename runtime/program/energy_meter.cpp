// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/energy_meter.h"
#include "runtime/device/shared_library.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace pb::program {
namespace {

namespace fs = std::filesystem;

// RAPL's counters are updated every millisecond, those of devices every 20 to 100 ms: with these windows an
// update is at most 2 %.
constexpr double kRaplWindow = 0.05, kNvmlWindow = 1;

/// A negative number if the file cannot be read.
double numberIn(const fs::path &path) {
  std::ifstream file(path);
  double value = -1;
  return file >> value ? value : -1;
}

std::string wordIn(const fs::path &path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

} // namespace

EnergySources energySources() {
  EnergySources sources;
  if (const char *folder = std::getenv("PB_POWERCAP"))
    sources.powercap = folder;
  if (const char *devices = std::getenv("PB_DEVICES"); devices && !std::strcmp(devices, "none"))
    sources.nvml.clear();
  return sources;
}

EnergyCounter::EnergyCounter(std::string name, double unit, double range, std::function<double()> read)
    : name_(std::move(name)), unit_(unit), range_(range), read_(std::move(read)), last_(read_()) {}

double EnergyCounter::joules() {
  const double now = read_();
  if (now < 0)
    return sum_ * unit_;
  // A smaller value means that the counter has wrapped around, if it was near the end of its range. Otherwise
  // it was reset, and the energy since then is unknown.
  const double onwards = now >= last_ ? now - last_ : now + range_ - last_;
  if (last_ >= 0 && (now >= last_ || (onwards > 0 && onwards < range_ / 2)))
    sum_ += onwards;
  last_ = now;
  return sum_ * unit_;
}

EnergyMeter::EnergyMeter(const EnergySources &sources) {
  openPowercap(sources.powercap);
  if (!sources.nvml.empty())
    openNvml(sources.nvml);
  if (counters_.empty() && problem_.empty())
    problem_ = "this machine has no counter of energy that can be read: there is no " + sources.powercap +
               "/intel-rapl:0 (a virtual machine has none), and no NVIDIA device that counts";
}

/// "intel-rapl:0" is a package, "intel-rapl:0:2" a part of it. The energy of parts is included in their
/// package's, except for the memory.
void EnergyMeter::openPowercap(const std::string &folder) {
  std::error_code ignored;
  std::vector<fs::path> zones;
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().rfind("intel-rapl:", 0) == 0)
      zones.push_back(entry.path());
  std::sort(zones.begin(), zones.end());
  for (const fs::path &zone : zones) {
    const std::string id = zone.filename().string(), name = wordIn(zone / "name");
    const bool isPart = std::count(id.begin(), id.end(), ':') > 1;
    if (isPart ? name != "dram" : name.rfind("package", 0) != 0)
      continue;
    const fs::path file = zone / "energy_uj";
    if (numberIn(file) < 0) {
      problem_ = file.string() + " cannot be read\n  help: as its owner (root): chmod a+r " + folder +
                 "/intel-rapl:*/energy_uj";
      continue;
    }
    counters_.emplace_back(name, 1e-6, std::max(numberIn(zone / "max_energy_range_uj"), 0.0),
                           [file] { return numberIn(file); });
    window_ = std::max(window_, kRaplWindow);
  }
}

void EnergyMeter::openNvml(const std::string &name) {
  const device::SharedLibrary library({name});
  using Device = void *;
  const auto start = library.function<int()>("nvmlInit_v2");
  const auto count = library.function<int(unsigned *)>("nvmlDeviceGetCount_v2");
  const auto handle = library.function<int(unsigned, Device *)>("nvmlDeviceGetHandleByIndex_v2");
  const auto title = library.function<int(Device, char *, unsigned)>("nvmlDeviceGetName");
  const auto energy =
      library.function<int(Device, unsigned long long *)>("nvmlDeviceGetTotalEnergyConsumption");
  unsigned devices = 0;
  if (!start || !count || !handle || !energy || start() != 0 || count(&devices) != 0)
    return;
  for (unsigned i = 0; i < devices; ++i) {
    Device device = nullptr;
    unsigned long long now = 0;
    if (handle(i, &device) != 0 || energy(device, &now) != 0) // before Volta there is no such counter
      continue;
    char text[96] = "NVIDIA device";
    if (title)
      title(device, text, sizeof text);
    counters_.emplace_back(text, 1e-3, 0, [energy, device] {
      unsigned long long value = 0;
      return energy(device, &value) == 0 ? static_cast<double>(value) : -1;
    });
    window_ = std::max(window_, kNvmlWindow);
  }
}

std::vector<std::string> EnergyMeter::names() const {
  std::vector<std::string> all;
  for (const EnergyCounter &counter : counters_)
    all.push_back(counter.name());
  return all;
}

double EnergyMeter::joules() {
  double sum = 0;
  for (EnergyCounter &counter : counters_)
    sum += counter.joules();
  return sum;
}

} // namespace pb::program
