// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a tuning's trials to the journal for as long as that works: on a full disk the tuning goes on
// without it, so that what was found so far is not lost.
//
//   Notes notes(&journal);
//   notes.add(entry);   ...   if (!notes.problem().empty()) say(notes.problem())
#pragma once
#include "tuner/journal/journal.h"

namespace pbc::tuner {

class Notes {
public:
  /// `journal` may be null: then nothing is written.
  explicit Notes(Journal *journal = nullptr) : journal_(journal) {}

  explicit operator bool() const { return journal_ != nullptr; }
  void add(const JournalEntry &);
  /// Says from which moment on nothing was written, and why; "": everything was written.
  const std::string &problem() const { return problem_; }

private:
  Journal *journal_;
  std::string problem_;
};

} // namespace pbc::tuner
