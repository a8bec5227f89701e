// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Devices for tests, and functions that wait for them.
//
//   auto device = openFor("opencl");     // null, with a reason, if this machine has none
//   auto buffer = bufferOf(*device, std::vector<float>{1, 2, 3});
//   finish(*device, device->launch(...));
//   EXPECT_EQ(contentsOf<float>(*device, *buffer, 3), ...);
//
// Each process has caches of its own, for kernels and for PoCL, which are deleted at its end.
#pragma once
#include "runtime/device/device.h"
#include <filesystem>
#include <functional>
#include <vector>

namespace pb::device::test {

/// The folder of this process for temporary files.
const std::filesystem::path &scratchFolder();

/// `api`: "fake" or "opencl"; null if there is no such device.
std::unique_ptr<Device> openFor(const std::string &api);

/// A kernel that uses every feature of the dialect: dialect_test.cpp.
std::string everythingInTheDialect();

/// Multiplies elements low0 to high0 of A by a number.
inline constexpr const char *kScale = R"(
PB_KERNEL(scale)(PB_GLOBAL float *A_p, long A_o, double by, long low0, long high0)
{
  PB_BEGIN
  const long i0 = low0 + PB_ID(0);
  if (i0 < high0) A_p[A_o + i0] *= (float)by;
  PB_END
}
)";

/// Waits until `done` returns true, at most five seconds.
bool eventually(const std::function<bool()> &done);

/// Waits until the event is done, for a few seconds at most; throws its error, if it failed.
void finish(Device &, const EventRef &);

template <class T>
std::unique_ptr<Buffer> bufferOf(Device &device, const std::vector<T> &values) {
  auto buffer = device.allocate(values.size() * sizeof(T));
  finish(device, device.copyIn(*buffer, {.bytes = values.size() * sizeof(T)}, values.data()));
  return buffer;
}
template <class T>
std::vector<T> contentsOf(Device &device, Buffer &buffer, std::size_t count) {
  std::vector<T> values(count);
  finish(device, device.copyOut(buffer, {.bytes = count * sizeof(T)}, values.data()));
  return values;
}

inline Grid gridOf(long items, int group) { return {{items, 1, 1}, {group, 1, 1}}; }

} // namespace pb::device::test
