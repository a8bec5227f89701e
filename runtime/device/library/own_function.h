// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A function of the library that pbc has itself ("pbc.sort"): launches of kernels in the dialect, so it runs on every
// kind of device.
//
//   std::unique_ptr<Kernel> sort = buildOwn(device, LibraryCall("pbc.sort float"));   // null: a function of CUDA's libraries
//   if (const auto *own = dynamic_cast<const OwnFunction *>(&kernel)) return own->launch(device, arguments);
//
// Devices do this in build() and launch(), and see the kernels as any others. Invariant: launch() throws before it has
// given any command where memory is short or the matrices are unsuitable. If a command behind the first one is refused,
// at most the outputs have changed, and where the device shares the processor's memory, not even these.
#pragma once
#include "runtime/device/library/library_call.h"

namespace pb::device {

class OwnFunction : public Kernel {
public:
  /// `arguments`: as LibraryCall::matrices() reads them. Only for the management thread.
  virtual EventRef launch(Device &, const std::vector<Argument> &arguments) const = 0;
};

/// Builds the function's kernels on the device; null if the entry is not pbc's own. Throws as Device::build() does.
std::unique_ptr<Kernel> buildOwn(Device &, const LibraryCall &);

/// Commands that were given one after the other, as one: it is over when all are.
class CommandSequence : public Event {
public:
  void add(EventRef next) { commands_.push_back(std::move(next)); }
  bool isDone() override;
  Span span() const override;
  Event &lastCommand() override { return commands_.back()->lastCommand(); }

private:
  std::vector<EventRef> commands_;
  std::size_t done_ = 0; // of the first commands
};

} // namespace pb::device
