// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What became of the steps by which a kernel got its schedule, for users who ask. Nothing of it decides what is computed.
//
//   script    tasks(); vector(x)                                        the steps that made the schedule
//   notes     vector: "a point needs the one before it along x"         a step of the default that does not apply
//   settings  vector = "x", jam = "4"                                   what was decided for an option
//   refused   jam: "its loop over y carries a dependence"               what was asked for and does not apply
//   edits     tasks(); vector(x); jam(y; 2)                             what a search may try instead (policy/space.h)
#pragma once
#include "compiler/script/script.h"
#include <algorithm>
#include <string>
#include <vector>

namespace pbc::kernel {

/// A transformation, or an option, that does not apply, and why.
struct Note {
  std::string transformation, why;
  std::string help = {};
  source::Span span = {}; // of what was asked for, if it is in a file
};

/// The value that was decided for an option of the schedule (schedule_options.h).
struct Setting {
  std::string option, value;
};

/// Another script, one edit away from the one that ran.
struct Edit {
  enum class Kind { Replace, Insert, Remove };
  std::string of;            // what it is about: "tile", "registers rows", "body"
  Kind kind = Kind::Replace; // of one step, or of all steps that compute points ("body")
  std::size_t at = 0;        // the step's number in the script that ran
  script::Script script;
};

/// Another schedule of the kernel, which was composed of a script and adaptors (compiler/compose).
struct ComposedSchedule {
  std::string choice;     // "cpu:gemm+Triangular(A).2"
  std::string provenance; // "gemm + Triangular(A) rule 2"
  script::Script script;
  std::vector<Note> leftOut; // steps that did not apply
  std::string guard = {};    // "guarded by blank(A).zero, checked once a call"; "": it may always run
};

struct Report {
  script::Script script;
  std::vector<ComposedSchedule> composed;
  std::vector<Note> notes;
  std::vector<Setting> settings; // of those options that this kernel can use
  std::vector<Note> refused;
  std::vector<Edit> edits; // if they are wanted

  /// The value that was decided; "" if the kernel cannot use the option.
  std::string setting(const std::string &option) const {
    const auto at =
        std::find_if(settings.begin(), settings.end(), [&](const Setting &s) { return s.option == option; });
    return at == settings.end() ? "" : at->value;
  }
};

} // namespace pbc::kernel
