// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The lines of a schedule's tree, before anything is known of the statements.
//
//   band y                  Line { Band, members [y] }
//     vector                  Line { Mark }
//       band x                  Line { Band, members [x] }
#pragma once
#include "compiler/kernel/realisation.h"
#include "compiler/kernel/textual/reader.h"
#include <vector>

namespace pbc::kernel::textual {

/// A member of a band: one function for all statements, one for each, or isl's text of all.
struct MemberText {
  struct Own {
    std::vector<Fragment> statements;
    Fragment function;
  };
  std::optional<Fragment> label; // "xt" of "xt = x"
  Fragment function;    // empty text if there are `own` ones; all functions if it begins with a brace
  std::vector<Own> own; // "(S0: x; S1, S2: k)"
  source::Span span;
  bool isParallel = false; // whether the text says so
};

struct Line {
  enum class Kind { Band, Sequence, Set, Mark, Part };
  Kind kind = Kind::Band;
  source::Span span;
  std::vector<MemberText> members;   // Band
  std::optional<Mark> mark;          // Mark
  std::vector<Fragment> statements;  // Part: names of whole statements, or
  std::optional<Fragment> instances; // a set of instances
  std::vector<Line> below;           // parts of a sequence or set; at most one line otherwise
};

/// The lines that are indented by more than `indentation`; nothing if there is none.
std::optional<Line> readLines(Reader &, int indentation);

} // namespace pbc::kernel::textual
