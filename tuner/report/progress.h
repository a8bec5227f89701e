// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shows the progress: one line that changes on a terminal, a line for each size elsewhere. It is written to
// standard error, so that standard output has nothing but --json.
#pragma once
#include "tuner/strategy/tester.h"

#include <chrono>
#include <cstdio>

namespace pbc::tuner {

class Progress : public Observer {
public:
  explicit Progress(std::FILE *);
  ~Progress() override;
  void measured(const TestSize &, int measurements, double best, double byDefault) override;
  void finished(const TestSize &, int measurements, double best, double byDefault) override;
  void stage(const std::string &name) override;
  void note(const std::string &line);
  /// False: what is measured is not a time (strategy/objective.h).
  void setIsTime(bool isTime) { isTime_ = isTime; }

private:
  void clear();

  std::FILE *file_;
  bool terminal_;
  bool isTime_ = true;
  bool shown_ = false; // an unfinished line is on the terminal
  std::chrono::steady_clock::time_point last_;
};

} // namespace pbc::tuner
