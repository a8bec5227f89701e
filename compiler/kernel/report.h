// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What became of the steps by which a kernel got its schedule, for users who ask. Nothing of it decides what is computed.
//
//   script    tasks(); vector(x)                                        the steps that made the schedule
//   notes     vector: "a point needs the one before it along x"         a step of the default that does not apply
//   settings  vector = "x", jam = "4"                                   what was decided for an option
//   refused   jam: "its loop over y carries a dependence"               what was asked for and does not apply
#pragma once
#include "compiler/script/script.h"
#include <algorithm>
#include <string>
#include <vector>

namespace pbc::kernel {

/// A transformation, or an option, that does not apply, and why.
struct Note {
  std::string transformation, why;
};

/// The value that was decided for an option of the schedule (schedule_options.h).
struct Setting {
  std::string option, value;
};

struct Report {
  script::Script script;
  std::vector<Note> notes;
  std::vector<Setting> settings; // of those options that this kernel can use
  std::vector<Note> refused;

  /// The value that was decided; "" if the kernel cannot use the option.
  std::string setting(const std::string &option) const {
    const auto at =
        std::find_if(settings.begin(), settings.end(), [&](const Setting &s) { return s.option == option; });
    return at == settings.end() ? "" : at->value;
  }
};

} // namespace pbc::kernel
