// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The default schedule of a kernel, and the options that can be requested.
//
//   band (y, x): S  =>  tasks over x and y; band y: vector: band x: S
//   the same, asked for {jam: 4, tile: "16 x 256"}  =>  band (16*floor(y/16), ...): jam:4: band y: ...
//
// The default has x innermost if that is legal, parts for tasks, long bodies in blocks in registers,
// otherwise vectors along x. It has no tiles, because what a point-wise or stencil kernel reads again lies
// within a few rows. Each step that does not apply is left out, with a note. An option (schedule_options.h)
// that was requested and does not apply is listed in Report::refused, and the default is used; decisions are
// in Report::settings.
#pragma once
#include "compiler/kernel/report.h"
#include "compiler/kernel/schedule.h"
#include "compiler/kernel/schedule_options.h"

namespace pbc::kernel {

struct Planned {
  Scheduled kernel;
  Report report;
};

/// Makes schedules of one kernel. Results that several schedules share are computed once.
class Scheduler {
public:
  explicit Scheduler(Scheduled lifted);
  Planned schedule(const Asked & = {});

private:
  /// The kernel ordered, and cut into tasks and tiles.
  struct Cut {
    Planned made;
    std::vector<int> loops; // free variables of the loops over points
  };
  const Cut &cut(const Asked &);

  Scheduled lifted_;
  std::map<std::string, Cut> cut_; // by the options that decide it
};

Planned defaultSchedule(const Scheduled &, const Asked & = {});

} // namespace pbc::kernel
