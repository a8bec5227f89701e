// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/progress.h"

#include "runtime/base/visible.h"
#include "tuner/report/words.h"

#include <fmt/format.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

std::string state(const TestSize &size, int measurements, double best, double byDefault, bool isTime) {
  if (!isTime)
    return fmt::format("{}: best {:.2f} times as good as the default, {} measurements", size.name,
                       best > 0 ? byDefault / best : 1, measurements);
  return fmt::format("{}: best {}, default {} ({:.2f} x), {} measurements", size.name, seconds(best),
                     seconds(byDefault), best > 0 ? byDefault / best : 1, measurements);
}

} // namespace

Progress::Progress(std::FILE *file) : file_(file), terminal_(isatty(fileno(file))) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_)
    std::fputs("\r\033[K", file_);
  shown_ = false;
}

void Progress::measured(const TestSize &size, int measurements, double best, double byDefault) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < 100ms)
    return;
  last_ = now;
  std::fputs(("\r\033[K" + state(size, measurements, best, byDefault, isTime_)).c_str(), file_);
  std::fflush(file_);
  shown_ = true;
}

void Progress::finished(const TestSize &size, int measurements, double best, double byDefault) {
  note(state(size, measurements, best, byDefault, isTime_));
}

void Progress::stage(const std::string &name) { note(name); }

void Progress::note(const std::string &line) {
  clear();
  std::fputs((pb::base::visible(line) + "\n").c_str(),
             file_); // a reader that has ended must not end the tuning
  std::fflush(file_);
}

} // namespace pbc::tuner
