// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#if defined(__SANITIZE_ADDRESS__)
// Memory that PoCL and its LLVM keep until the end.
extern "C" const char *__lsan_default_suppressions() { return "leak:libpocl\nleak:libLLVM\nleak:libclang\n"; }
#endif
#if defined(__SANITIZE_THREAD__)
// PoCL is not built for ThreadSanitizer, which therefore does not see its locks.
extern "C" const char *__tsan_default_suppressions() { return "race:libpocl\nrace:libLLVM\nrace:libclang\n"; }
#endif

namespace pb::device::test {
namespace {

struct Scratch {
  std::filesystem::path path;
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "pbc-device-XXXXXX").string();
    path = mkdtemp(name.data());
    setenv("PB_KERNEL_CACHE", (path / "kernels").c_str(), 1);
    std::filesystem::create_directory(path / "pocl");
    setenv("POCL_CACHE_DIR", (path / "pocl").c_str(), 1);
    unsetenv("PB_FAKE_DEVICE");
#if defined(__SANITIZE_ADDRESS__) && defined(__clang__) // the kernels' runtime must be this program's
    setenv("PB_FAKE_COMPILER", "clang++-19 -O0 -fsanitize=address,undefined", 1);
#elif defined(__SANITIZE_ADDRESS__)
    setenv("PB_FAKE_COMPILER", "g++ -O0 -fsanitize=address,undefined", 1);
#endif
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};
const Scratch scratch; // before main: libraries read the environment when they are loaded

} // namespace

const std::filesystem::path &scratchFolder() { return scratch.path; }

std::unique_ptr<Device> openFor(const std::string &api) {
  std::vector<std::string> complaints;
  if (api == "fake") // always there; other tests may have left their own
    setenv("PB_FAKE_DEVICE", "shares=1", 1);
  auto devices = openDevices(api, complaints);
  if (api == "fake" && devices.empty())
    throw std::runtime_error("no fake device: " + complaints.at(0));
  if (devices.empty() || devices[0]->about().name == "a test") // the driver of cuda_test.cpp runs no kernels
    return nullptr;
  return std::move(devices[0]);
}

void finish(Device &device, const EventRef &event) {
  device.flush();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!event->isDone()) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error("a command does not end");
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

bool eventually(const std::function<bool()> &done) {
  for (int k = 0; k < 50000; ++k) {
    if (done())
      return true;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return false;
}

} // namespace pb::device::test
