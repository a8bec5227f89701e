// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures every program of a kernel's spaces. Many leaves are compiled together in one library while those before are measured, and
// leaves that are printed alike are measured once, so that spaces with tens of thousands of leaves can be recorded.
//
//   Recorder recorder(lifted, options, times, journal);
//   while (!recorder.run(seconds) ...)        true: the journal has all times
//   recorder.addTo(record)
//
// A recorder that was ended goes on with its journal. Invariant: a time in the journal is the least of several runs at two moments.
#pragma once
#include "compiler/search/prove/machine_times.h"
#include "compiler/search/record/record.h"
#include <functional>

namespace pbc::search {

class Recorder {
public:
  /// Throws Unsearchable if the kernel has no space, or one with more leaves than `mostLeaves`.
  Recorder(const kernel::Scheduled &lifted, const NestOptions &, MachineTimes &, Journal &, long mostLeaves);

  struct Progress {
    std::size_t leaves = 0, scripts = 0, known = 0; // `known`: scripts whose time the journal has
    std::size_t measured = 0;                       // programs, by this recorder
  };
  const Progress &progress() const { return progress_; }

  /// False: `goesOn` has ended it. It is asked after each library.
  bool run(const std::function<bool(const Progress &)> &goesOn);

  /// The times that the journal has.
  void addTo(Record &) const;

private:
  struct Program {
    std::uint64_t hash;
    std::string functions;
    std::vector<std::string> scripts; // that make it
    Measurement made;
  };
  static std::vector<Program> measured(std::vector<Program>, LeafBuilder &, Worker &);
  void keep(const std::vector<Program> &);

  std::vector<NestSpace> spaces_;
  struct Leaf {
    std::size_t root;
    std::vector<Domain> domains;
  };
  std::map<std::string, Leaf> leaves_; // one for each script
  MachineTimes &times_;
  Journal &journal_;
  Progress progress_;
};

} // namespace pbc::search
