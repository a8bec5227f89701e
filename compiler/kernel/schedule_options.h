// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What can be said of one kernel's schedule, as data: names, values, a line each.
//
//   refusedValue("jam", "3000")  ->  "jam is how many iterations of the loop around ...: 1 to 16"
//
// The names are those of configurations (`[kernels]`) and of `pbc explain`. Values are texts; a number is one
// in decimal. Here it is only said what can be written; whether a kernel can have it, its transformations say
// (default_schedule.h), and schedule_space.h lists what it can have. Source: the decisions of a search space
// as data with their documentation beside them is Telamon's habit (CC'17).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pbc::kernel {

struct ScheduleOption {
  const char *name;
  const char *doc;
  const char *values; // in words
  /// A whole number from `least` to `most`, a power of two if `isPower`; otherwise names of the kernel's own.
  long least = 0, most = 0;
  bool isPower = false;
  std::vector<std::string> words = {}; // beside numbers, or all that there are
  std::vector<long> worthTrying = {};  // of the numbers
  bool isFree = false;                 // the kernel knows what may be written
};

const std::vector<ScheduleOption> &scheduleOptions();
/// Null if there is none.
const ScheduleOption *findScheduleOption(const std::string &name);

/// What was asked for, by option.
using Asked = std::map<std::string, std::string>;

/// Whether the option can have this value in some kernel.
bool isValue(const ScheduleOption &, const std::string &value);
/// "32 x 256" and "y, x" as written in the documentation: {"32", "256"}, {"y", "x"}.
std::vector<std::string> parts(const std::string &value, char separator);

} // namespace pbc::kernel
