// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the search for kernels needs: a program's variants, identified by the settings of its kernels.
//
//   variants.build({a, b, c});   variants.measure(a, 3)  ->  seconds {0.031, 0.030, 0.030}
//
// The search does not know whether a compiler and processes answer or, in tests, a formula.
#pragma once
#include "tuner/space/kernel_settings.h"
#include "tuner/strategy/evaluator.h"

namespace pbc::tuner {

class Variants {
public:
  virtual ~Variants() = default;
  /// The options of all kernels, as they are with these settings.
  virtual std::vector<KernelOption> options(const KernelSettings &) = 0;
  /// Makes these variants ready to run, and discards all others that were made ready before.
  virtual void build(const std::vector<KernelSettings> &) = 0;
  /// Makes the next runs begin in new processes: where a process's memory lies, and what runs beside it, is a
  /// matter of luck.
  virtual void renew() = 0;
  /// A variant that cannot be made, crashes, hangs or gives another result is rejected.
  virtual Measurement measure(const KernelSettings &, int trials) = 0;
  /// Seconds that making one more takes, where as many are made as the machine can; 0: nothing that counts.
  virtual double secondsToBuild() const { return 0; }
  virtual double elapsed() const = 0;
  virtual bool stopped() const = 0;
};

} // namespace pbc::tuner
