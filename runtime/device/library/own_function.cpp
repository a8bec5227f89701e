// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/library/own_function.h"

#include "runtime/device/library/radix_sort.h"

namespace pb::device {

std::unique_ptr<Kernel> buildOwn(Device &device, const LibraryCall &call) {
  if (call.entry == Entry::Sort)
    return std::make_unique<RadixSort>(device, call);
  return nullptr;
}

bool CommandSequence::isDone() {
  while (done_ < commands_.size() && commands_[done_]->isDone())
    ++done_;
  return done_ == commands_.size();
}

Span CommandSequence::span() const { return {commands_.front()->span().begin, commands_.back()->span().end}; }

} // namespace pb::device
