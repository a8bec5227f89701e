// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The settings of kernels in a configuration: its section [kernels], which applies when a program is
// compiled.
//
//   [kernels]                       ->  {{"Heat", "inside", "jam"}: "2"}
//   Heat.inside.jam = 2
//
// The tuner knows options only as names and texts: the compiler lists scripts (`pbc explain --kernels --json`)
// and reads the section. A script is the whole schedule of a kernel, so it takes the place of its other settings. Everything else in a configuration stays as it is, including comments.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace pbc::tuner {

/// One thing about which a kernel's script can be edited.
struct KernelOption {
  std::string transform, kernel;
  std::string about; // "tile", "registers rows", "body"
  std::string inUse;
  std::vector<std::string> others;     // scripts that it can have instead
  std::string slow = {};               // one with which the kernel takes much longer; "": none is known
  std::vector<std::string> sizes = {}; // the names of the sizes that it depends on
  int pieces = 1;                      // kernels of this name

  std::string kernelTitle() const { return transform + "." + kernel; }
  std::string title() const { return kernelTitle() + ".script"; }
};

/// Reads the output of `pbc explain --kernels --json`. Throws TunerError for another text.
std::vector<KernelOption> parseKernelOptions(const std::string &json);

/// Values by transform, kernel and option.
using KernelSettings = std::map<std::tuple<std::string, std::string, std::string>, std::string>;

KernelSettings with(KernelSettings, const KernelOption &, const std::string &script);
/// "Heat.inside.jam = 2"
std::vector<std::string> inWords(const KernelSettings &);
/// The section, with comments in front of its entries; "" for no settings.
std::string toToml(const KernelSettings &, const std::vector<std::string> &comments = {});

/// Reads the section of a configuration's text; none if the text is not TOML.
KernelSettings kernelSettings(const std::string &toml);
/// Replaces the section in a configuration's text.
std::string withKernels(const std::string &toml, const std::string &section);
/// The text with this number of threads before its first table, instead of the text's own number; 0: unchanged. A
/// configuration that was tuned with a number of threads must also run with that number.
std::string withThreads(const std::string &toml, int threads);

} // namespace pbc::tuner
