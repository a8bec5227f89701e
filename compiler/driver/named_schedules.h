// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Named schedules: other ways to run the loops of a rule, among which configurations choose by size.
//
//   transform Blur ... { rule Rows ...  schedule wide for Rows { (yt, xt, yi, xi) = tile(y, x; 32, 256); vector(xi); } }
//   => the kernels of the step Rows, once more by these steps: emit::Version "cpu:wide", a choice of place_Rows
//
// Schedules stand in the program, in files given by --schedule, and beside files of the standard library:
// stdlib/schedules/linalg.sched belongs to <linalg.pbcc>. What a program or --schedule says must apply to some kernel of
// its rules; a schedule of a library is left out where it does not, with a note for `pbc explain`.
#pragma once
#include "compiler/emit/emit.h"
#include "compiler/kernel/transform/transformation.h"
#include "compiler/source/diagnostics.h"
#include <map>
#include <set>

namespace pbc::driver {

/// A file of schedules.
struct ScheduleFile {
  source::FileId file;
  bool isOptional; // of a library
};

/// Loads the files that --schedule names, and those that belong to the library's files that were read so far. Throws
/// Refusal if one cannot be read.
std::vector<ScheduleFile> loadSchedules(source::SourceManager &, const std::vector<std::string> &paths,
                                        const std::string &standardFolder);

/// Adds the schedules of a file to the transforms that they name.
void addSchedules(syntax::Program &, const ScheduleFile &, source::Diagnostics &);

/// What became of a schedule at one step of a plan.
struct ScheduleAttempt {
  std::shared_ptr<const kernel::Scheduled> kernel; // null: it does not apply
  kernel::StepProblem problem;     // why not; of rules without loops: the line that prevents them
  std::optional<std::size_t> step; // of the schedule, that does not apply
  bool hasLoops = true;            // false: there is nothing that a schedule could change
};

/// By the transform's schedules; nothing for those that are for other rules.
using ScheduleAttempts = std::vector<std::optional<ScheduleAttempt>>;

/// `lifted`: null if the step calls transforms. `whyWhole`: as in kernel::LiftOutcome.
ScheduleAttempts attemptSchedules(const sema::Transform &, const schedule::Step &,
                                  const std::vector<body::Facts> &, const kernel::Scheduled *lifted,
                                  const std::string &whyWhole);

/// "`tile(y, x; 32, 256)`: there is no loop y"
std::string whyNot(const sema::Schedule &, const ScheduleAttempt &);

/// Collects what became of all schedules, and reports those of the program and of --schedule that apply nowhere: copies
/// of a template share their schedules, and pieces of one rule may have fewer loops than others.
class ScheduleChecks {
public:
  explicit ScheduleChecks(const sema::Module &module) : module_(module) {}
  void add(const sema::Transform &, const schedule::Step &, const ScheduleAttempts &);
  void report(source::Diagnostics &) const;

private:
  /// A schedule as written, for all copies of its transform.
  struct Outcome {
    bool applies = false;
    std::optional<ScheduleAttempt> failure; // the first
    std::set<std::string> together;         // rules with which its rules share their loops
  };
  void complain(const sema::Transform &, const sema::Schedule &, const Outcome &,
                source::Diagnostics &) const;

  const sema::Module &module_;
  std::map<std::pair<source::FileId, std::uint32_t>, Outcome> outcomes_; // by the place of the schedule
};

} // namespace pbc::driver
