// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels for commands that look at one kernel at given sizes: from a program, or in text form.
//
//   KernelInput input("pbc space", {.file = "mm.pbcc", .n = 256, .sizes = {"k=64"}});
//   for (const kernel::Scheduled &k : input.kernels())
//     input.valuesOf(k)      { h: 256, w: 256, k: 64 }
//
// Throws Refusal with what is wrong.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/sema/module.h"
#include <CLI/CLI.hpp>
#include <map>

namespace pbc::driver {

struct KernelRequest {
  std::string file, kernel;            // `kernel`: of this name only
  std::optional<long> n;               // of all sizes
  std::vector<std::string> sizes;      // "k=64"
  std::vector<std::string> words = {}; // further options for the compiler of a program
  bool withChains = false;             // of a program, chains of rules as well (chains.h)
};

/// Adds the options to a command.
void addOptions(CLI::App &, KernelRequest &);

/// "k=64" and the like, by names in isl. Throws Refusal for another text.
std::map<std::string, long> sizesOf(const std::string &command, const std::vector<std::string> &texts);

/// Throws Refusal if no transform has one of the sizes.
void requireSizes(const std::string &command, const std::string &file, const sema::Module &,
                  const std::map<std::string, long> &sizes);

class KernelInput {
public:
  KernelInput(const std::string &command, const KernelRequest &);

  const std::vector<kernel::Scheduled> &kernels() const { return kernels_; }
  /// By their names in isl. Throws Refusal if a size has no value.
  std::map<std::string, long> valuesOf(const kernel::Scheduled &) const;

private:
  std::string command_;
  KernelRequest request_;
  std::map<std::string, long> sizes_;
  poly::Context context_;
  std::vector<kernel::Scheduled> kernels_;
};

/// "h = 256, w = 256"
std::string sizesText(const std::map<std::string, long> &);

} // namespace pbc::driver
