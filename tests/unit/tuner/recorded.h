// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A journal written by hand: entries of a program Sort with the alternatives Merge (default), Quick, Bad and
// the tunable block.
#pragma once
#include "tuner/report/evidence.h"
#include "tuner/space/toml.h"

#include <fmt/format.h>

namespace pbc::tuner {

inline ProgramSpace sortSpace() {
  ProgramSpace space;
  space.program = "sort";
  space.hash = "5047";
  space.compiler = "pbc 0.1";
  space.main = "Sort";
  space.sizes = {"n"};
  space.bins = {"Sort"};
  space.sites.push_back({"Sort", "Sort", "how it is sorted", {{"Merge", ""}, {"Quick", ""}, {"Bad", ""}}});
  space.tunables.push_back({.transform = "Sort",
                            .name = "block",
                            .doc = "",
                            .logarithmic = true,
                            .initial = 64,
                            .minimum = 1,
                            .maximum = 4096});
  return space;
}

/// `alternative` always, or Merge below `cut`.
inline Configuration sorting(const ProgramSpace &space, int alternative, double block = 64, long cut = 0) {
  Selector selector(alternative);
  if (cut > 0)
    selector = *Selector::fromLevels({{cut, 0}, {kNoLimit, alternative}});
  return Configuration::defaults(space).withSelector(0, selector).withTunable(0, block);
}

class HandMade {
public:
  explicit HandMade(ProgramSpace space) : space_(std::move(space)) {}

  HandMade &ok(long n, const Configuration &configuration, std::vector<double> seconds) {
    return add(n, configuration, std::move(seconds), "ok", "", 1);
  }
  HandMade &bad(long n, const Configuration &configuration, Failure kind, const std::string &reason,
                double limit = 1) {
    return add(n, configuration, {}, nameOf(kind), reason, limit);
  }
  /// Lets time pass.
  HandMade &wait(double seconds) {
    now_ += seconds;
    return *this;
  }
  const std::vector<JournalEntry> &entries() const { return entries_; }

private:
  HandMade &add(long n, const Configuration &configuration, std::vector<double> seconds,
                const std::string &outcome, const std::string &reason, double limit) {
    now_ += 0.5;
    const int minute = static_cast<int>(now_ / 60);
    JournalEntry entry{space_.hash,
                       "a machine",
                       fmt::format("n={} seed=1", n),
                       configuration.key(),
                       toToml(space_, configuration, {}),
                       std::move(seconds),
                       outcome,
                       reason,
                       limit};
    entry.time =
        fmt::format("2026-11-21T{:02}:{:02}:{:06.3f}Z", 12 + minute / 60, minute % 60, now_ - 60 * minute);
    entries_.push_back(entry);
    return *this;
  }
  ProgramSpace space_;
  double now_ = 0;
  std::vector<JournalEntry> entries_;
};

} // namespace pbc::tuner
