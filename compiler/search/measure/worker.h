// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A process that loads leaves of a search and measures them, one after the other. It keeps its memory warm, and what a leaf
// breaks is only the worker: the next one is a new process.
//
//   Worker worker(arrays);
//   worker.reference("plain.so")              the results to which others are compared
//   worker.measure({"leaves.so", 3}, {.runs = 10})   { Fate::Measured, 1.9e-3 s, 10 runs }
//
// Matrices have the same small numbers at the beginning of the first run of each leaf, whose results are compared; later runs are
// timed. Invariant: a leaf that crashes, hangs or computes something else has no time.
#pragma once
#include "compiler/search/measure/child.h"
#include "compiler/search/measure/leaf_program.h"
#include <cstdint>
#include <string>

namespace pbc::search {

/// What became of a leaf that was to be measured.
enum class Fate {
  Measured,
  NotCompiled, // a step does not apply, or the compiler refuses the text
  Wrong,       // other results than the kernel's
  Crashed,
  TimedOut,
};

struct MeasureLimits {
  int runs = 10;   // at most, after the first; in about two seconds
  double most = 0; // seconds: a leaf whose first two runs are longer gets no more of them; 0: no limit
  double secondsOfWaiting = 20; // after which the worker is killed
};

/// A leaf of a library.
struct LibraryLeaf {
  std::string library;
  std::uint32_t number = 0;
};

struct Measurement {
  Fate fate = Fate::Crashed;
  double seconds = 0; // of the fastest run
  int runs = 0;
  double difference = 0; // the largest difference of a result, relative to the largest result
  std::string why;       // of a fate that is not Measured
};

class Worker {
public:
  /// `cores`: threads that run parts of a leaf while it is timed.
  explicit Worker(const Arrays &arrays, int cores = 1) : arrays_(arrays), cores_(cores) {}

  /// Runs the first leaf of a library once and keeps its results.
  Measurement reference(const std::string &library);
  Measurement measure(const LibraryLeaf &, const MeasureLimits &);

private:
  Measurement ask(const LibraryLeaf &, bool isReference, const MeasureLimits &);
  void serve(Child::Questions &) const;

  const Arrays &arrays_;
  int cores_;
  std::string referenceLibrary_; // which a new process runs first
  Child child_;
};

// For workers of other kinds.
Measurement withoutAnswer(Child::Fate, const MeasureLimits &);
/// A sentence.
std::string whyWrong(double difference);

} // namespace pbc::search
