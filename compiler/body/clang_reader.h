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
  /// The complaints that get a text of their own.
  enum class Kind {
    Other,
    NoMatchingCall,
    ReturnHasValue,
    ReturnLacksValue,
    FallsOffEnd,  // on some path
    NeverReturns, // falls off its end on every path
    AssignsConstant,
    UnknownName,
    MissingHeader,
    Reserved, // a raw block declares a name of the generated code; the text says why
  };
  Level level = Level::Error;
  Kind kind = Kind::Other;
  bool inUnit = false;              // false: in a header, named by `file`
  std::uint32_t begin = 0, end = 0; // in Unit::text; for a header: the #include that leads to it
  unsigned line = 0;                // in `file`
  std::string text, file;
  std::vector<Complaint> notes;
};

struct Reading {
  bool finished = false; // false: Clang itself crashed
  std::vector<Complaint> complaints;
  std::vector<Function> functions; // one for each of Unit::rules
  /// Positions at which raw blocks define variables that the whole program shares and that need code to
  /// initialise or destroy them.
  std::vector<std::uint32_t> dynamicVariables;
  /// Some body or raw block asks a region for its memory: base(), storage().
  bool takesPointers = false;
};

/// `headerPath`: -iquote and -I options for the headers of raw blocks.
Reading readUnit(const Unit &, const std::vector<std::string> &headerPath);

/// A preamble that replaces parts of the unit, with the headers in memory and the front-end arguments with which it
/// was made.
struct ParsedHeaders {
  const preamble::Preamble &preamble;
  const std::vector<std::pair<std::string, std::string>> &files;
  const std::vector<std::string> &arguments;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> standsFor; // [begin, end) in Unit::text
};
Reading readUnit(const Unit &, const std::vector<std::string> &headerPath, const ParsedHeaders &);

} // namespace pbc::body
