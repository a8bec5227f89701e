// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/devices.h"
#include "runtime/base/errors.h"
#include "runtime/device/trace.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace pb::program {
namespace {

DeviceSettings &settings() {
  static DeviceSettings ofProcess;
  return ofProcess;
}

device::WatchBuild &buildWatcher() {
  static device::WatchBuild ofProcess;
  return ofProcess;
}

void say(const std::string &what) {
  base::printWarning(std::string(base::programName()) + ": note: " + what);
}

template <class F>
bool anyPlacement(const Program &program, F &&holds) {
  for (int t = 0; t < program.transformCount; ++t)
    for (int s = 0; s < program.transforms[t]->siteCount; ++s)
      if (const Site &site = program.transforms[t]->sites[s]; site.needsDevice && holds(site))
        return true;
  return false;
}

} // namespace

void setDevices(const DeviceSettings &asked) { settings() = asked; }

void watchBuilds(device::WatchBuild watch) { buildWatcher() = std::move(watch); }

std::string deviceNames() {
  if (!settings().names.empty())
    return settings().names;
  const char *environment = std::getenv("PB_DEVICES");
  return environment && *environment ? environment : "all";
}

bool hasPlacements(const Program &program) {
  return anyPlacement(program, [](const Site &) { return true; });
}

bool placesSteps(const Program &program) {
  return anyPlacement(program, [](const Site &site) {
    const int *const uses = site.slot->use;
    return std::any_of(uses, uses + site.slot->levels, [&](int use) { return site.isOnDevice(use); });
  });
}

std::vector<device::DeviceName> availableDevices(const Program &program) {
  if (deviceNames() == "none" || !hasPlacements(program))
    return {};
  return device::listDevices(deviceNames());
}

std::unique_ptr<device::Session> openSession(const std::string &names,
                                             const device::Session::Settings &settings, bool placesSteps) {
  std::vector<std::string> complaints;
  auto devices = device::openDevices(names, complaints);
  for (const std::string &complaint : complaints)
    settings.say(complaint);
  if (!devices.empty())
    return std::make_unique<device::Session>(std::move(devices), settings);
  if (names != "none" && placesSteps)
    settings.say("the configuration places steps on a device, and there is none: they run on the processor");
  return nullptr;
}

void sayCounters(const device::Session &session, const std::function<void(const std::string &)> &say) {
  if (const char *asked = std::getenv("PB_DEVICE_COUNTERS"); !asked || !*asked)
    return;
  for (const auto &[name, c] : session.counters()) {
    const std::string across = c.copiesAcross
                                   ? std::to_string(c.copiesAcross) + " copies to other devices (" +
                                         std::to_string(c.bytesAcross) + " bytes), "
                                   : "";
    say(name + ": " + std::to_string(c.launches) + " launches, " + std::to_string(c.copiesIn) +
        " copies in (" + std::to_string(c.bytesIn) + " bytes), " + std::to_string(c.copiesOut) +
        " copies out (" + std::to_string(c.bytesOut) + " bytes), " + across + std::to_string(c.allocations) +
        " allocations, " + std::to_string(c.evictions) + " evictions, " + std::to_string(c.buffers) +
        " buffers left (" + std::to_string(c.bytes) + " bytes), " + std::to_string(c.restingBytes) +
        " bytes at rest, " + std::to_string(c.lockedBytes) + " bytes locked, " + std::to_string(c.graphs) +
        " graphs given " + std::to_string(c.chains) + " times, " + std::to_string(c.items) + " work-items");
  }
}

Devices::~Devices() {
  if (session_)
    sayCounters(*session_, say);
}

device::Session *Devices::wanted() {
  if (isOpened_ || !program_ || !placesSteps(*program_))
    return session_.get();
  isOpened_ = true;
  session_ = openSession(deviceNames(), {.trace = trace(), .watchBuild = buildWatcher(), .say = say});
  return session_.get();
}

device::Trace *Devices::trace() {
  if (!trace_ && program_ && !settings().trace.empty())
    trace_ = std::make_unique<device::Trace>();
  return trace_.get();
}

std::vector<std::string> Devices::report() {
  std::vector<std::string> notes;
  if (session_)
    notes = session_->takeNotes();
  for (const std::string &what : notes)
    say(what);
  if (trace_)
    trace_->write(settings().trace);
  return notes;
}

} // namespace pb::program
