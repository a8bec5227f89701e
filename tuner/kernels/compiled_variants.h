// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Variants as programs: compiled in parallel by `pbc SOURCE --config=FILE`, run as workers.
//
//   CompiledVariants variants(settings);
//   variants.build({{}, {{"Product", "product", "rows"}: "8"}});   // two compilers at a time, through the cache
//   variants.measure({}, 3)                                        // a worker for each; outputs are compared
//
// Invariant: the outputs of a variant that has times were those of the program without settings, bit for bit
// or within the rounding that `--check` allows.
#pragma once
#include "tuner/evaluate/worker.h"
#include "tuner/journal/notes.h"
#include "tuner/kernels/variants.h"

#include <chrono>

namespace pbc::tuner {

struct CompiledVariantsSettings {
  std::string compiler;
  std::vector<std::string> arguments; // the source, then the user's options for the compiler
  std::string folder;                 // for the variants
  int jobs = 1;
  double longestCompilation = 0; // seconds; 0: derived from the time that the first one takes
  ProcessLimits limits;          // for a compiler
};

/// How variants run.
struct RunSettings {
  WorkerOptions worker;
  Sizes sizes;
  std::string configuration; // choices and tunables, without [kernels]
  double seconds = 0;        // approximate time of a run
  std::string machine, hash; // for the journal
};

class CompiledVariants : public Variants {
public:
  explicit CompiledVariants(CompiledVariantsSettings);

  /// If the compiler can no longer list them, as on a full disk, returns the options that it listed before.
  std::vector<KernelOption> options(const KernelSettings &) override;
  void build(const std::vector<KernelSettings> &) override;
  void renew() override;
  /// Only after setRuns().
  Measurement measure(const KernelSettings &, int trials) override;
  double secondsToBuild() const override { return firstCompilation_ / settings_.jobs; }
  double elapsed() const override;
  bool stopped() const override;

  void setRuns(RunSettings, Journal *);
  /// The variant's file; "" if it could not be made (why() gives the reason).
  std::string program(const KernelSettings &);
  std::string why(const KernelSettings &);
  const Notes &notes() const { return notes_; }
  int compiled() const { return compiled_; }
  int runs() const { return runs_; }

private:
  struct Variant {
    std::string program;
    std::optional<Rejected> rejected;
    std::unique_ptr<Worker> worker;
  };
  /// Seconds that a compiler may take.
  double patience() const;
  std::string fileFor(const KernelSettings &, const std::string &name) const;
  Measurement run(Variant &, int trials);

  CompiledVariantsSettings settings_;
  RunSettings runSettings_;
  Notes notes_;
  std::vector<KernelOption> options_; // as the compiler listed them last
  std::map<KernelSettings, Variant> variants_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double firstCompilation_ = 0; // seconds of the program without settings
  int compiled_ = 0, runs_ = 0;
};

} // namespace pbc::tuner
