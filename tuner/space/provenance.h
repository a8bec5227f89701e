// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a configuration comes from, as data: its table [made-by].
//
//   [made-by]
//   tool = "pbc 0.1"
//   date = 2026-11-22T04:30:00Z
//   machine = { processor = "Intel(R) Xeon(R) Processor", cores = 2, l1 = 32768, l2 = 2097152, l3 = 0 }
//   devices = [ { id = "opencl:0", name = "cpu-haswell", driver = "3.1" } ]
//   objective = "time"
//   effort = "quick"
//   budget = 60.0
//   seed = 1
//   sizes = [ "n=64", "n=128" ]
//   measurements = 345
//   default_seconds = 0.12
//   tuned_seconds = 0.031
//   bins = [ { transform = "Root<4>", size = "n=128", measurements = 120, default_seconds = 0.1, ... } ]
//   transforms = { Sort = "9f2c", "Sum<2>" = "77aa" }
//
// Invariant: provenanceOf(toToml(p)) == p. No transform can be called made-by, so the table cannot clash with
// theirs. Source: tuning-practice.md 2; the running program reads the machine (runtime/config/origin.h).
#pragma once
#include "tuner/space/machine.h"

#include <map>
#include <optional>

namespace pbc::tuner {

struct Provenance {
  std::string tool, date;
  Machine machine;
  std::string objective = "time", effort;
  double budget = 0; // seconds
  long seed = 0;
  std::vector<std::string> sizes;              // that were tuned, the largest last
  long measurements = 0;                       // of all bins
  double defaultSeconds = 0, tunedSeconds = 0; // at the largest size
  struct Bin {
    std::string transform; // "Root<4>"
    std::string size;      // the largest that was reached
    long measurements = 0;
    double defaultSeconds = 0, tunedSeconds = 0;
  };
  /// Accuracy bins, if several were tuned; sizes and times above are those of the last one.
  std::vector<Bin> bins;
  std::map<std::string, std::string> transforms; // hashes of their texts
};

/// The current time, "2026-11-22T04:30:00Z".
std::string dateNow();

std::string toToml(const Provenance &);
/// Nothing if the text is not TOML or has no such table.
std::optional<Provenance> provenanceOf(const std::string &toml);

} // namespace pbc::tuner
