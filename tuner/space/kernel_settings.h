// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The settings of kernels in a configuration: its section [kernels], which applies when a program is
// compiled.
//
//   [kernels]                       ->  {{"Heat", "inside", "jam"}: "2"}
//   Heat.inside.jam = 2
//
// The tuner knows options only as names and texts: the compiler lists them (`pbc explain --kernels --json`)
// and reads the section. Everything else in a configuration stays as it is, including comments.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace pbc::tuner {

struct KernelOption {
  std::string transform, kernel, option;
  std::string inUse;
  std::vector<std::string> others; // values that it can have instead

  std::string kernelTitle() const { return transform + "." + kernel; }
  std::string title() const { return kernelTitle() + "." + option; }
};

/// Reads the output of `pbc explain --kernels --json`. Throws TunerError for another text.
std::vector<KernelOption> parseKernelOptions(const std::string &json);

/// Values by transform, kernel and option.
using KernelSettings = std::map<std::tuple<std::string, std::string, std::string>, std::string>;

KernelSettings with(KernelSettings, const KernelOption &, const std::string &value);
/// "Heat.inside.jam = 2"
std::vector<std::string> inWords(const KernelSettings &);
/// The section, with comments in front of its entries; "" for no settings.
std::string toToml(const KernelSettings &, const std::vector<std::string> &comments = {});

/// Reads the section of a configuration's text; none if the text is not TOML.
KernelSettings kernelSettings(const std::string &toml);
/// Replaces the section in a configuration's text.
std::string withKernels(const std::string &toml, const std::string &section);
/// The text with this number of threads in front of its tables, in place of its own; 0: as it is. What is tuned with
/// so many threads is to run with them.
std::string withThreads(const std::string &toml, int threads);

} // namespace pbc::tuner
