// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reports the schedules of a program, and of --schedule, that apply nowhere.
//
// What became of all schedules is collected first: copies of a template share their schedules, `*` names many transforms, and pieces of
// one rule may have fewer loops than others. A schedule that is composed with adaptors loses the steps that do not apply, so each of its
// steps must apply in some way to compose it.
#pragma once
#include "compiler/driver/named_schedules.h"
#include "compiler/source/diagnostics.h"
#include <map>
#include <set>

namespace pbc::driver {

class ScheduleChecks {
public:
  explicit ScheduleChecks(const sema::Module &module) : module_(module) {}
  void add(const sema::Transform &, const schedule::Step &, const ScheduleAttempts &);
  void report(source::Diagnostics &) const;

private:
  /// A schedule as written, for all transforms and their copies.
  struct Outcome {
    bool applies = false;
    std::vector<ScheduleAttempt> failed;                // at the first step of a plan where none applies
    std::set<std::string> together;                     // rules with which its rules share their loops
    std::set<std::size_t> applied;                      // steps of it, in some attempt
    std::map<std::size_t, kernel::StepProblem> leftOut; // steps of it, with the first reason
  };
  static void addAttempt(const sema::Schedule &, const ScheduleAttempt &, Outcome &);
  void complain(const sema::Transform &, const sema::Schedule &, const Outcome &,
                source::Diagnostics &) const;

  const sema::Module &module_;
  std::map<std::pair<source::FileId, std::uint32_t>, Outcome> outcomes_; // by the place of the schedule
};

} // namespace pbc::driver
