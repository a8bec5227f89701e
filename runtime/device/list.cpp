// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/list.h"

#include "runtime/base/errors.h"
#include "runtime/device/fake/fake_device.h"

#include <algorithm>
#include <cstdlib>

namespace pb::device {
namespace {

struct DeviceKind {
  const char *name;
  std::vector<Description> (*list)(std::vector<std::string> &complaints);
  std::unique_ptr<Device> (*open)(int number);
};
constexpr DeviceKind kKinds[] = {{"cuda", cudaDevices, openCudaDevice},
                                 {"opencl", openClDevices, openOpenClDevice},
                                 {"fake", fakeDevices, openFakeDevice}};

std::vector<std::string> namesIn(const std::string &list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::size_t first = list.find_first_not_of(' ', at),
                      last = list.find_last_not_of(' ', end - (end > at));
    if (end > at && first < end)
      names.push_back(list.substr(first, last - first + 1));
    at = end + 1;
  }
  return names;
}

std::string idOf(const DeviceKind &kind, std::size_t number) {
  return std::string(kind.name) + ":" + std::to_string(number);
}

std::unique_ptr<Device> openOne(const DeviceKind &kind, int number, std::vector<std::string> &complaints) {
  try {
    return kind.open(number);
  } catch (const std::exception &problem) {
    complaints.push_back("device " + idOf(kind, number) + " cannot be used: " + problem.what());
    return nullptr;
  }
}

/// The first fake device that is not among the others: there are as many as are asked for by name.
int nextFake(const std::vector<std::unique_ptr<Device>> &others) {
  const auto isOpen = [&](int number) {
    const std::string name = FakeDevice::describe(FakeOptions(), number).name;
    return std::any_of(others.begin(), others.end(),
                       [&](const auto &other) { return other->about().name == name; });
  };
  int number = 0;
  while (isOpen(number))
    ++number;
  return number;
}

/// Opens "cuda:1", or "cuda" for the first one, besides others. Only this kind of device is initialised, because others take
/// long.
std::unique_ptr<Device> openNamed(const std::string &name, const std::vector<std::unique_ptr<Device>> &others,
                                  std::vector<std::string> &complaints) {
  for (const DeviceKind &kind : kKinds) {
    if (name != kind.name && !name.starts_with(std::string(kind.name) + ":"))
      continue;
    if (name == "fake")
      return openOne(kind, nextFake(others), complaints);
    const std::size_t count = kind.list(complaints).size();
    for (std::size_t k = 0; k < count; ++k)
      if (name == idOf(kind, k) || (k == 0 && name == kind.name))
        return openOne(kind, static_cast<int>(k), complaints);
  }
  std::string known;
  for (const DeviceName &device : listDevices())
    known += (known.empty() ? "" : ", ") + device.id;
  complaints.push_back("there is no device '" + name + "'; " +
                       (known.empty() ? "this machine has none" : "this machine has " + known));
  return nullptr;
}

} // namespace

std::vector<Description> fakeDevices(std::vector<std::string> &complaints) {
  const char *asked = std::getenv("PB_FAKE_DEVICE");
  if (!asked || !*asked)
    return {};
  try {
    const FakeOptions options = parseFakeOptions(asked);
    std::vector<Description> all;
    for (int k = 0; k < options.devices; ++k)
      all.push_back(FakeDevice::describe(options, k));
    return all;
  } catch (const base::UserError &problem) {
    complaints.emplace_back(problem.what());
    return {};
  }
}

std::unique_ptr<Device> openFakeDevice(int number) {
  const char *asked = std::getenv("PB_FAKE_DEVICE");
  FakeOptions options = parseFakeOptions(asked ? asked : "");
  if (number > 0)
    options.faults.clear();
  return std::make_unique<FakeDevice>(options, number);
}

std::vector<DeviceName> listDevices() {
  std::vector<DeviceName> all;
  std::vector<std::string> ignored;
  for (const DeviceKind &kind : kKinds) {
    const std::vector<Description> found = kind.list(ignored);
    for (std::size_t k = 0; k < found.size(); ++k)
      all.push_back({idOf(kind, k), found[k]});
  }
  return all;
}

std::vector<DeviceName> listDevices(const std::string &names) {
  std::vector<DeviceName> all = listDevices(), chosen;
  const std::vector<std::string> wanted = namesIn(names);
  const auto isWanted = [&](const DeviceName &device) {
    return std::any_of(wanted.begin(), wanted.end(), [&](const std::string &name) {
      return name == "all" || name == device.id || name + ":0" == device.id;
    });
  };
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), isWanted);
  const bool isAsked = std::count(wanted.begin(), wanted.end(), "fake") > 0;
  if (isAsked && std::none_of(all.begin(), all.end(), [](const auto &d) { return d.about.api == "fake"; }))
    chosen.push_back({"fake:0", FakeDevice::describe(FakeOptions(), 0)});
  return chosen;
}

std::vector<std::unique_ptr<Device>> openDevices(const std::string &names,
                                                 std::vector<std::string> &complaints) {
  std::vector<std::unique_ptr<Device>> devices;
  const auto add = [&](std::unique_ptr<Device> device) {
    if (device)
      devices.push_back(std::move(device));
  };
  for (const std::string &name : namesIn(names)) {
    if (name == "all") {
      for (const DeviceKind &kind : kKinds) {
        const std::vector<Description> found = kind.list(complaints);
        for (std::size_t k = 0; k < found.size(); ++k)
          if (std::none_of(
                  devices.begin(), devices.end(), [&](const auto &other) { // a GPU that CUDA has listed, too
                    return other->about().api != found[k].api && other->about().name == found[k].name;
                  }))
            add(openOne(kind, static_cast<int>(k), complaints));
      }
    } else if (name != "none") {
      add(openNamed(name, devices, complaints));
    }
  }
  return devices;
}

} // namespace pb::device
