// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The devices of this process, as the command line and the configuration ask for them.
//
//   setDevices({"opencl:0", "run.json"});        // --devices, --trace
//   Devices devices(program);
//   if (task::StepDevices *d = devices.wanted()) scheduler.setDevices(d);
//
// With PB_DEVICE_COUNTERS=1 in the environment, a line for each device says at the end what it was given. A
// device is opened when a run begins whose configuration places some step on one, and not otherwise
// (requirement 65): looking for OpenCL platforms takes a tenth of a second.
#pragma once
#include "runtime/abi/program.h"
#include "runtime/device/session.h"
#include <functional>
#include <memory>
#include <string>

namespace pb::program {

struct DeviceSettings {
  std::string names; // as for openDevices(); "": PB_DEVICES, or all
  std::string trace; // file; "": none
};

/// Applies to all runs of this process.
void setDevices(const DeviceSettings &);
/// Sets the function that is told of kernels that are compiled from now on; it is not told by devices that
/// are open already.
void watchBuilds(device::WatchBuild);
/// The names in use.
std::string deviceNames();

/// Whether some step of the program has kernels for devices.
bool hasPlacements(const Program &);
/// Whether the configuration, which fills the program's own slots, places some step on a device.
bool placesSteps(const Program &);
/// What --devices names and this machine has; nothing for a program without kernels for devices.
std::vector<device::DeviceName> availableDevices(const Program &);

/// Opens these devices, and tells `settings.say` which cannot be opened, or that there is none. Null: there is none. `placesSteps`: the
/// configuration places steps on them.
std::unique_ptr<device::Session> openSession(const std::string &names, const device::Session::Settings &,
                                             bool placesSteps = true);

/// With PB_DEVICE_COUNTERS in the environment, says a line for each device: what it was given.
void sayCounters(const device::Session &, const std::function<void(const std::string &)> &say);

class Devices {
public:
  explicit Devices(const Program *program) : program_(program) {}
  ~Devices();

  /// The session: opened already, or now if the configuration asks for one. Null if no step is to run on a
  /// device, or there is none. What cannot be opened is reported once.
  device::Session *wanted();
  /// The trace of the runs, including workers; null if no trace was asked for.
  device::Trace *trace();
  /// Prints what happened in the last run, and returns it. Writes the trace, if one was asked for.
  std::vector<std::string> report();

private:
  const Program *program_;
  bool isOpened_ = false;
  std::unique_ptr<device::Trace> trace_;
  std::unique_ptr<device::Session> session_;
};

} // namespace pb::program
