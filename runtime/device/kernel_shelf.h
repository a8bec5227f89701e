// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernels of one device that a program has asked for. Each is built once, outside of the workers'
// threads; as many are built at a time as the machine has processors.
//
//   Built k = co_await shelf.get(kernel, group, cells, form);       // waits the first time only
//   if (!k.kernel) say(k.why);
//
// A build may take seconds (a compiler runs in the driver): the coroutine is suspended, no worker waits. A
// build that takes longer than the limit counts as failed, and its result is ignored. Invariant: get() for
// the same version and group gives the same answer as long as the shelf lives; what has the same text for the
// compiler is built once, whoever asks for it. Of a version that is built for sizes (DeviceKernel::sizes), the
// kernels for the kMostSizes sets of them that were asked for last are kept; those for another set may be built again.
#pragma once
#include "runtime/device/kernel_form.h"
#include "runtime/device/request.h"
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace pb {
struct DeviceKernel;
}

namespace pb::device {

/// Called with a kernel's name when its compilation begins (true) and when it has ended or was given up
/// (false), from a thread of the shelf; by one of them at a time, but a build may begin before others have ended.
using WatchBuild = std::function<void(const std::string &entry, bool begins)>;

class KernelShelf {
public:
  static int processors();
  static constexpr std::size_t kMostSizes = 16;

  struct Built {
    std::shared_ptr<Kernel> kernel; // null: see `why`
    std::string why;
    bool isLost = false; // the device is gone; this says nothing about the kernel
  };

  /// `device` must outlive the shelf. `say`: called once with a sentence if a build takes more than a tenth of the limit.
  KernelShelf(Device &device, double limitSeconds, WatchBuild watch = {}, int together = processors(),
              std::function<void(const std::string &)> say = {});
  ~KernelShelf();
  KernelShelf(const KernelShelf &) = delete;
  KernelShelf &operator=(const KernelShelf &) = delete;

private:
  struct Entry;
  struct Builder;

public:
  struct Awaiter {
    std::shared_ptr<Entry> entry;
    std::shared_ptr<Request> request = {}; // must stay in a deque until the coroutine goes on
    bool await_ready() const;
    void await_suspend(std::coroutine_handle<> caller);
    Built await_resume() const;
  };
  /// `cells`: cells of an item; `sizes`: by DeviceKernel::sizes. The build begins now, or when an earlier one has ended, not when the answer is
  /// awaited.
  Awaiter get(const DeviceKernel &, const int group[3], const int cells[3], KernelForm,
              const std::vector<long> &sizes = {});

private:
  /// Gives up the kernels for the sizes that were not asked for longest, if there are too many.
  void use(const DeviceKernel &, const std::vector<long> &sizes);

  using Key = std::tuple<const DeviceKernel *, std::vector<long>, int, int, int, int, int, int, KernelForm>;
  std::mutex mutex_; // guards what follows
  std::map<Key, std::shared_ptr<Entry>> entries_;
  std::map<const DeviceKernel *, std::list<std::vector<long>>> sizes_; // the last ones first
  std::map<std::tuple<std::string, std::string, int, int, int, bool>, std::shared_ptr<Entry>> texts_;
  std::shared_ptr<Builder> builder_;
};

} // namespace pb::device
