// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is noted of a tuning for as long as that works: on a full disk it goes on without, for what was found
// so far is not lost for that.
//
//   Notes notes(&journal);
//   notes.add(entry);   ...   if (!notes.problem().empty()) say(notes.problem())
#pragma once
#include "tuner/journal/journal.h"

namespace pbc::tuner {

class Notes {
public:
  /// `journal` may be null: nothing is noted.
  explicit Notes(Journal *journal = nullptr) : journal_(journal) {}

  explicit operator bool() const { return journal_ != nullptr; }
  void add(const JournalEntry &);
  /// "from some moment on nothing was noted: ", and why; "": all was.
  const std::string &problem() const { return problem_; }

private:
  Journal *journal_;
  std::string problem_;
};

} // namespace pbc::tuner
