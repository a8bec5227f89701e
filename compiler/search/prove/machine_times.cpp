// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/prove/machine_times.h"
#include <utility>

namespace pbc::search {

MachineTimes::MachineTimes(const kernel::Scheduled &lifted, const std::map<std::string, long> &values,
                           Journal &journal, int cores)
    : lifted_(lifted), journal_(journal), cores_(cores) {
  ArraysOutcome arrays = arraysOf(lifted, values);
  if (!arrays.arrays)
    throw Unsearchable(arrays.why);
  arrays_ = std::move(*arrays.arrays);
}

void MachineTimes::start() {
  if (worker_)
    return;
  builder_ = std::make_unique<LeafBuilder>(lifted_, arrays_);
  worker_ = std::make_unique<Worker>(arrays_, cores_);
  const LeafBuilder::Built reference = builder_->build({});
  if (reference.library.empty())
    throw Unsearchable(reference.why);
  if (const Measurement plain = worker_->reference(reference.library); plain.fate != Fate::Measured)
    throw Unsearchable("as it is: " + plain.why);
}

LeafBuilder &MachineTimes::builder() {
  start();
  return *builder_;
}

Worker &MachineTimes::worker() {
  start();
  return *worker_;
}

Measurement MachineTimes::of(const script::Script &script, double most) {
  const std::string key = script::line(script);
  if (const Measurement *known = journal_.find(key))
    return *known;
  start();
  const LeafBuilder::Built built = builder_->build(script);
  Measurement made{Fate::NotCompiled, 0, 0, 0, built.why};
  if (!built.library.empty()) {
    made = worker_->measure({built.library}, {.most = most});
    LeafBuilder::remove(built);
  }
  journal_.add(key, made);
  return made;
}

} // namespace pbc::search
