// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/device/device_times.h"
#include "compiler/search/measure/leaf_builder.h"
#include "compiler/search/prove/times.h"
#include <utility>

namespace pbc::search {

DeviceTimes::DeviceTimes(const kernel::Scheduled &lifted, const std::map<std::string, long> &values,
                         const std::string &device, Journal &journal)
    : lifted_(lifted), journal_(journal) {
  ArraysOutcome arrays = arraysOf(lifted, values);
  if (!arrays.arrays)
    throw Unsearchable(arrays.why);
  arrays_ = std::move(*arrays.arrays);
  worker_ = std::make_unique<DeviceWorker>(arrays_, device);
  LeafBuilder builder(lifted, arrays_);
  const LeafBuilder::Built plain = builder.build({});
  if (plain.library.empty())
    throw Unsearchable(plain.why);
  if (const Measurement made = worker_->reference(plain.library); made.fate != Fate::Measured)
    throw Unsearchable(made.why);
}

std::string DeviceTimes::whyNot(const DeviceProgram &program) const {
  return deviceLeaf(lifted_, arrays_, program, worker_->localBytes()).why;
}

Measurement DeviceTimes::of(const DeviceProgram &program, double most) {
  constexpr double kSecondsOfWaiting = 30; // compilers of devices are slow
  const std::string key = lineOf(program);
  if (const Measurement *known = journal_.find(key))
    return *known;
  const DeviceLeafOutcome made = deviceLeaf(lifted_, arrays_, program, worker_->localBytes());
  const Measurement time =
      made.leaf ? worker_->measure(*made.leaf, {.most = most, .secondsOfWaiting = kSecondsOfWaiting})
                : Measurement{Fate::NotCompiled, 0, 0, 0, made.why};
  journal_.add(key, time);
  return time;
}

} // namespace pbc::search
