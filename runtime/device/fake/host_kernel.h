// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel as a shared library of this processor: text in the dialect, compiled by $PB_FAKE_COMPILER (a
// command with options, "clang++ -O1"), else by c++.
//
//   std::string binary = compileHostKernel(text, command);        // throws DeviceError(Build) with messages
//   HostLibrary library(binary);
//   library.runGroup(arguments, group, extent); // the group's number, and its items along each dimension
//
// Each kernel is a run of the compiler, so a kernel whose text does not depend on the size of groups is compiled once
// for all sizes.
//
// Invariant: each HostLibrary has its own static variables, whatever else is loaded from the same bytes.
#pragma once
#include "runtime/device/device.h"
#include <string>

namespace pb::device {

std::string hostCompiler();
/// Options that are added to the compiler's command. A compiled kernel depends on the command, these options
/// and the text.
extern const char *const kHostOptions;

/// The complete text that is given to the compiler. Without doubles a kernel that has some does not compile, as in OpenCL C.
std::string hostKernelText(const KernelSource &, bool hasDouble = true);
std::string compileHostKernel(const std::string &text, const std::string &compiler);

class HostLibrary {
public:
  explicit HostLibrary(const std::string &binary);
  HostLibrary(const HostLibrary &) = delete;
  HostLibrary &operator=(const HostLibrary &) = delete;
  ~HostLibrary();

  /// Per argument: 'r' a pointer to const, 'w' another pointer, 'v' a value.
  const std::string &kinds() const { return kinds_; }
  unsigned long localBytes() const { return localBytes_; }
  /// False if items of the group met different barriers.
  bool runGroup(const unsigned long *arguments, const long *group, const long *extent) const {
    return runGroup_(arguments, group, extent) != 0;
  }

private:
  int file_ = -1;
  void *library_ = nullptr;
  std::string kinds_;
  unsigned long localBytes_ = 0;
  int (*runGroup_)(const unsigned long *, const long *, const long *) = nullptr;
};

} // namespace pb::device
