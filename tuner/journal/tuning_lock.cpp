// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/journal/tuning_lock.h"

#include "tuner/space/program_space.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace pbc::tuner {

TuningLock::TuningLock(const std::string &output, const std::string &journal)
    : file_(::open(journal.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return;
  ::close(file_);
  throw TunerError(
      fmt::format("{}: another pbc tune is at work for it\n"
                  "  note: its times and these would disturb each other, and the last would win\n"
                  "  help: wait for it or end it; --output=FILE writes elsewhere",
                  output));
}

TuningLock::~TuningLock() {
  if (file_ >= 0)
    ::close(file_);
}

} // namespace pbc::tuner
