// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `fast` would bring a rule whose sums round in their order: the predicted time on one core of its schedule, and that of the default one if
// they could be computed in another order.
//
//   S.cell(y) from(A.row(y) a) { double s = 0; for (int x = 0; x < w; ++x) s += a.cell(x) * a.cell(x); return s; }
//     fastGain(lifted, scheduled, {{"h", 1000}, {"w", 1000}}, core)     =>  1.5 ms as it is, 0.8 ms
//
// Nothing where it has no such sum, cannot be predicted, or would not be noticeably faster (kWorthSaying). Where nobody has named a machine, the
// core is that of a processor whose description comes with pbc (typicalCore): a ratio hardly differs between processors, since
// additions wait for each other on all of them, so that `pbc explain` can say it without measuring for seconds.
#pragma once
#include "compiler/emulate/processor/processor_core.h"
#include "compiler/kernel/schedule.h"
#include <map>
#include <optional>
#include <string>

namespace pbc::search {

inline constexpr double kWorthSaying = 1.25; // so many times as fast
inline constexpr long kTypicalSize = 1000;   // of all dimensions, where nobody has named a size

struct FastGain {
  double strict = 0, fast = 0; // seconds
  double timesAsFast() const { return strict / fast; }
};

/// Whether the kernel adds up or multiplies floating-point numbers, in an order that has to stay.
bool hasOrderedSums(const kernel::Kernel &);

/// `values`: of the kernel's parameters.
std::optional<FastGain> fastGain(const kernel::Scheduled &lifted, const kernel::Scheduled &scheduled,
                                 const std::map<std::string, long> &values, const emulate::ProcessorCore &);

struct TypicalCore {
  std::string machine; // "AMD EPYC"
  emulate::ProcessorCore core;
};

/// None: its file is not installed.
std::optional<TypicalCore> typicalCore();

} // namespace pbc::search
