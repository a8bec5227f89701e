// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The policy for processors: the script that makes a kernel's default schedule, and the options that can be requested.
//
//   band (y, x): S  =>  tasks(x, y; grain = 256); vector(x)
//   the same, asked for {jam: 4, tile: "16 x 256"}  =>  tasks(...); tile(y, x; 16, 256); vector(x); jam(y; 4)
//
// The default has x innermost if that is legal, parts for tasks, long bodies in blocks in registers,
// otherwise vectors along x, whose results go past the caches where the matrix is larger than these. It has no tiles, because what a point-wise or stencil kernel reads again lies
// within a few rows. Each step that does not apply is left out, with a note. An option (schedule_options.h)
// that was requested and does not apply is listed in Report::refused, and the default is used; decisions are
// in Report::settings. An option is an edit of the script: it replaces, adds or removes a step. A script that was requested
// takes the place of the default's, if all of its steps apply.
//
// Invariant: running Report::script on the lifted kernel gives the same schedule.
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
  explicit Scheduler(const Scheduled &lifted);
  Planned schedule(const Asked & = {});
  /// By a script that was requested; if it does not apply, the default, and Report::refused has the reason.
  Planned follow(const script::Script &);

  const Scheduled &lifted() const { return lifted_; }
  /// The steps by which the points of a kernel can be computed whose loops have no realisation yet: the default's first,
  /// then in vectors along the innermost loop, in blocks in registers, written out, in groups of lanes, without vectors.
  /// No steps: LLVM decides. At most so many of them.
  std::vector<script::Script> ways(const Scheduled &, std::size_t most = 16) const;

private:
  /// The kernel ordered, and cut into tasks and tiles.
  struct Cut {
    Planned made;
    std::vector<std::string> loops; // the labels of the loops over points
  };
  const Cut &cut(const Asked &);

  Scheduled lifted_;
  std::map<std::string, Cut> cut_; // by the options that decide it
};

Planned defaultSchedule(const Scheduled &, const Asked & = {});

} // namespace pbc::kernel
