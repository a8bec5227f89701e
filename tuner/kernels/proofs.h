// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `--kernels --effort=prove`: what the search by lower bounds (`pbc prove`) finds for a kernel alone, before variants of the program are
// compared.
//
//   KernelProof p = proofOf(settings, kernel, 30);
//   p.script       "(y_0, y_1) = tile(y; 16); order(y_0, y_1, x); vector(x)"
//   p.gap()        1.08: no schedule in the space is more than 8 % faster on one core
//
// Invariant: a proof speaks of the kernel at the sizes that it names, on one core, with its data as warm as the caches keep them.
#pragma once
#include "tuner/evaluate/worker.h"
#include "tuner/space/kernel_settings.h"

#include <string>
#include <vector>

namespace pbc::tuner {

struct ProofSettings {
  std::string source;
  std::vector<std::string> words; // options for the compiler
  std::string main;               // the transform whose sizes are known
  Sizes sizes;
  std::string machine, journal; // files
  double enough = 1.05;         // the search ends when its time is at most so many times the bound
};

struct KernelProof {
  std::string transform, kernel;
  std::string why;            // it was not searched; a sentence
  std::string sizes;          // "h = 256, w = 256"
  bool isOfRun = false;       // the program runs it at these sizes, and it is one piece
  double best = 0, bound = 0; // seconds; 0: none
  std::string script;         // of the best
  bool isDefault = false;     // the compiler's own schedule is the best
  std::string limit;          // the derivation of the bound: "compute: 1.7e7 additions of doubles, ..."
  double programs = 0;        // in the space
  long measured = 0, cut = 0;
  std::vector<std::string> refuted; // bounds that were too high

  std::string title() const { return transform + "." + kernel; }
  double gap() const { return bound > 0 ? best / bound : 0; }
  /// The term of the limit, "compute".
  std::string term() const { return limit.substr(0, limit.find(':')); }
};

/// Adds the kernel's sizes to a command of pbc, and the options for the compiler behind them. The sizes of a transform that is called are not
/// known: they are the largest one. Whether all are known.
bool addSizesAndWords(const ProofSettings &, const KernelOption &kernel, std::vector<std::string> &command);

/// Runs `pbc prove` for so many seconds. Throws TunerError if it cannot run, or was stopped.
KernelProof proofOf(const ProofSettings &, const KernelOption &kernel, double seconds);
/// Reads its output.
KernelProof parseProof(const std::string &json, const KernelOption &kernel);

/// The script as edits of the kernel, to be compared with what is in use: for one thread, and divided into tasks. Nothing to try if the
/// compiler's own schedule is the best.
KernelOption seedOf(const KernelProof &, const KernelOption &kernel);

/// The things about which a script is to be edited first, because they may make the limiting term smaller: "tile", "order".
std::vector<std::string> firstEdits(const std::string &term);

} // namespace pbc::tuner
