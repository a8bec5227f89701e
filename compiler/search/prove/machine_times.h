// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times on the machine at hand: a script's program is compiled alone and measured.
//
//   MachineTimes times(lifted, {{"n", 1024}}, journal);
//   times.of(script, 0)    { Fate::Measured, 1.9e-3 s, 10 runs }
//
// What the journal has is not measured again, so that a search can go on where it was ended.
#pragma once
#include "compiler/search/measure/leaf_builder.h"
#include "compiler/search/prove/journal.h"
#include "compiler/search/prove/times.h"
#include <map>
#include <memory>

namespace pbc::search {

class MachineTimes : public Times {
public:
  /// Throws Unsearchable if the kernel cannot run alone.
  /// `cores`: which share the tasks of a script.
  MachineTimes(const kernel::Scheduled &lifted, const std::map<std::string, long> &values, Journal &journal,
               int cores = 1);

  Measurement of(const script::Script &, double most) override;
  bool isMeasured() const override { return true; }

  /// For those who measure several at once. The worker has run the kernel without steps. Throws Unsearchable.
  LeafBuilder &builder();
  Worker &worker();

private:
  void start();

  const kernel::Scheduled &lifted_;
  Arrays arrays_;
  Journal &journal_;
  int cores_;
  std::unique_ptr<LeafBuilder> builder_;
  std::unique_ptr<Worker> worker_;
};

} // namespace pbc::search
