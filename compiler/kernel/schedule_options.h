// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The options of one kernel's schedule, as data: names, values, one line of documentation each.
//
//   refusedValue("jam", "3000")  ->  "jam is how many iterations of the loop around ...: 1 to 16"
//
// The names are those of configurations (`[kernels]`) and of `pbc explain`. Values are texts; a number is
// written in decimal. Only the syntax is defined here; whether a kernel can have a value is decided by its
// transformations (policy/processor.h), and schedule_space.h lists the values that it can have. Source:
// describing the decisions of a search space as data with their documentation follows Telamon (CC'17).
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
  /// An integer from `least` to `most`, a power of two if `isPower`; otherwise names that depend on the
  /// kernel.
  long least = 0, most = 0;
  bool isPower = false;
  std::vector<std::string> words = {}; // allowed words, in addition to numbers or alone
  std::vector<long> worthTrying = {};  // the numbers that a search tries
  bool isFree = false;                 // the kernel decides which values are allowed
};

/// The option whose value is a script: it is not an edit of the default's script, but takes its place.
inline constexpr const char *kScriptOption = "script";

const std::vector<ScheduleOption> &scheduleOptions();
/// Null if there is no such option.
const ScheduleOption *findScheduleOption(const std::string &name);

/// The requested values, by option.
using Asked = std::map<std::string, std::string>;

/// Whether the option can have this value in some kernel.
bool isValue(const ScheduleOption &, const std::string &value);
/// "32 x 256" and "y, x" as written in the documentation: {"32", "256"}, {"y", "x"}.
std::vector<std::string> parts(const std::string &value, char separator);

} // namespace pbc::kernel
