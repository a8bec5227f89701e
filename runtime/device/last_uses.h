// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last uses of a buffer on each of a device's queues: what a new command has to wait for.
//
//   uses.eachToAwait(kKernels, true, [&](auto &command) {   // for a kernel that writes
//     wait for command
//   });
//   uses.note(kKernels, true, command);
//
// A queue carries out its commands in order, so only the last use on each queue counts, and none on the
// command's own queue.
#pragma once
#include <array>
#include <utility>

namespace pb::device {

template <class Command, int Queues>
class LastUses {
public:
  template <class Do>
  void eachToAwait(int queue, bool writes, Do &&wait) const {
    if (write_ && writeQueue_ != queue)
      wait(write_);
    if (writes)
      for (int q = 0; q < Queues; ++q)
        if (q != queue && reads_[q])
          wait(reads_[q]);
  }
  template <class Do>
  void each(Do &&look) const {
    if (write_)
      look(write_);
    for (const Command &read : reads_)
      if (read)
        look(read);
  }
  void note(int queue, bool writes, Command command) {
    if (!writes) {
      reads_[queue] = std::move(command);
      return;
    }
    reads_ = {}; // the write waits for them: a command that waits for the write waits for all
    write_ = std::move(command);
    writeQueue_ = queue;
  }

private:
  Command write_{};
  int writeQueue_ = 0;
  std::array<Command, Queues> reads_{};
};

} // namespace pb::device
