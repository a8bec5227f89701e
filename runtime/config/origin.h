// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a configuration comes from: compares its first lines and its table [made-by] with this program and
// this machine.
//
//   hash = "9f2c"                                          the program's hash is 77aa  => isOtherVersion
//   [made-by]
//   machine = { processor = "AMD EPYC 7763", cores = 64 }  this one has 8 of them      => otherMachine
//   transforms = { Sort = "6aa9" }                         Sort has the hash 31f0      => changed {Sort}
//
// A configuration from elsewhere is still followed, as far as it fits (fit.h).
#pragma once
#include "runtime/abi/program.h"
#include <string>
#include <toml++/toml.h>
#include <vector>

namespace pb::config {

inline constexpr const char *kMadeBy = "made-by"; // no transform can have this name

struct Origin {
  bool isOtherVersion = false;
  std::vector<const Transform *> changed; // transforms whose text has changed since then
  std::string otherMachine;               // "AMD EPYC 7763, 64 processors"; "": this machine, or not said
};

Origin originOf(const Program &, const toml::table &);
Origin originOf(const Program &, const std::string &toml);

} // namespace pb::config
