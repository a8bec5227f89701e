// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The schedule that a kernel gets when nobody asks for another, and what may be asked.
//
//   band (y, x): S  =>  tasks over x and y; band y: vector: band x: S
//   the same, asked for {jam: 4, tile: "16 x 256"}  =>  band (16*floor(y/16), ...): jam:4: band y: ...
//
// x innermost where that is legal, pieces for tasks, long bodies in blocks in registers, else vectors along
// x. No tiles: what a point-wise or stencil kernel reads again lies within a few rows. Each step that does
// not apply is left out, with a note. An option (schedule_options.h) that was asked for and does not apply is
// among Kernel::refused, and the default stands; what was decided is in Kernel::settings, for those options
// that this kernel has a use for.
#pragma once
#include "compiler/kernel/kernel.h"
#include "compiler/kernel/schedule_options.h"

namespace pbc::kernel {

/// Makes schedules of one kernel. What two of them have in common is computed once.
class Scheduler {
public:
  explicit Scheduler(Kernel lifted);
  Kernel schedule(const Asked & = {});

private:
  /// Ordered, cut into tasks and tiles.
  struct Cut {
    Kernel kernel;
    std::vector<int> loops; // free variables of the loops over points
  };
  const Cut &cut(const Asked &);

  Kernel lifted_;
  std::map<std::string, Cut> cut_; // by what was asked of that
};

/// What was decided; "" where the kernel has no use for the option.
std::string settingOf(const Kernel &, const std::string &option);

Kernel defaultSchedule(const Kernel &, const Asked & = {});

} // namespace pbc::kernel
