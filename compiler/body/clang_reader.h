// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs Clang once over a Unit and returns its complaints and each rule's body as a Tree.
//
//   readUnit(unit, {}) => { complaints [error "use of undeclared identifier 'x'" at byte 1234],
//                           functions [...] }
//
// Everything happens in memory, without a file on disk; system headers are read only if raw blocks include
// them. Clang runs in a thread of its own with a deep stack, so that a body of absurd nesting ends in a
// complaint and not in a crash.
#pragma once
#include "compiler/body/tree.h"
#include "compiler/body/unit.h"

namespace pbc::body {

struct Complaint {
  enum class Level { Error, Warning, Note };
  /// The few that this room words itself.
  enum class Kind {
    Other,
    NoMatchingCall,
    ReturnHasValue,
    ReturnLacksValue,
    FallsOffEnd,
    AssignsConstant,
    UnknownName
  };
  Level level = Level::Error;
  Kind kind = Kind::Other;
  bool inUnit = false;              // false: in a header, named by `file`
  std::uint32_t begin = 0, end = 0; // in Unit::text
  std::string text, file;
  std::vector<Complaint> notes;
};

struct Reading {
  bool finished = false; // false: Clang itself broke down
  std::vector<Complaint> complaints;
  std::vector<Function> functions; // one for each of Unit::rules
  /// Where raw blocks define variables that the whole program shares and that code must initialise or
  /// destroy.
  std::vector<std::uint32_t> dynamicVariables;
};

/// `headerPath`: -iquote and -I options for the headers of raw blocks.
Reading readUnit(const Unit &, const std::vector<std::string> &headerPath);

} // namespace pbc::body
