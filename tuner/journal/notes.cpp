// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/journal/notes.h"

#include "tuner/space/program_space.h"

#include <fmt/format.h>

namespace pbc::tuner {

void Notes::add(const JournalEntry &entry) {
  if (!journal_)
    return;
  try {
    journal_->add(entry);
  } catch (const TunerError &problem) {
    journal_ = nullptr;
    problem_ = fmt::format("from some moment on nothing was noted: {}", problem.what());
  }
}

} // namespace pbc::tuner
