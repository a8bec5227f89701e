// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What each kind of device offers to list.cpp. Only open() throws.
#pragma once
#include "runtime/device/device.h"

namespace pb::device {

std::vector<Description> fakeDevices(std::vector<std::string> &complaints);
std::unique_ptr<Device> openFakeDevice(int number);
std::vector<Description> openClDevices(std::vector<std::string> &complaints);
std::unique_ptr<Device> openOpenClDevice(int number);
std::vector<Description> cudaDevices(std::vector<std::string> &complaints);
std::unique_ptr<Device> openCudaDevice(int number);

} // namespace pb::device
