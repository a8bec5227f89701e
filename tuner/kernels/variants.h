// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the search for kernels asks of the world: a program's variants, by the settings of its kernels.
//
//   variants.build({a, b, c});   variants.measure(a, 3)  ->  seconds {0.031, 0.030, 0.030}
//
// Whether a compiler and processes answer or a formula is not the search's business.
#pragma once
#include "tuner/space/kernel_settings.h"
#include "tuner/strategy/evaluator.h"

namespace pbc::tuner {

class Variants {
public:
  virtual ~Variants() = default;
  /// The options of all kernels as they are with these settings.
  virtual std::vector<KernelOption> options(const KernelSettings &) = 0;
  /// Makes these ready to run and forgets what was made ready before and is not among them.
  virtual void build(const std::vector<KernelSettings> &) = 0;
  /// Runs begin with new processes: which memory a process has got, and what is beside it, is luck.
  virtual void renew() = 0;
  /// A variant that cannot be made, crashes, hangs or gives another result is rejected.
  virtual Measurement measure(const KernelSettings &, int trials) = 0;
  /// Seconds that making one more takes, where as many are made as the machine can; 0: nothing that counts.
  virtual double secondsToBuild() const { return 0; }
  virtual double elapsed() const = 0;
  virtual bool stopped() const = 0;
};

} // namespace pbc::tuner
