// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configuration of a generated program: TOML in which transforms and rules appear by name.
//
//   program = "sort"                      # refused where it does not fit the program
//   hash = "9f2c..."                      # Program::hash
//   threads = 2                           # optional
//
//   [Sort]
//   choice = [ { below = 341, use = "InsertionSort" }, { below = 65536, use = "QuickSort" },
//              { use = "MergeSort" } ]
//   sequential_cutoff = 4096
//   split_size = 1024
//
// `choice = "MergeSort"` is short for one level. A tunable is a number; an array tunable is an array of
// numbers, `w = [0.5, 0.25]`. A tunable with a value for each power of two of the size is written `rounds = [
// { below = 64, value = 3 }, { value = 10 } ]`; a plain number stands for all sizes. Copies of a template and
// accuracy bins have tables of their own, ["Name<2>"]. A site whose name is not the transform's has the key
// `choice_NAME`. The table [kernels] is for the compiler (kernels.h); a program that was compiled with
// another one warns.
//
// Missing entries keep their values. Unknown transforms, rules or tunables, values out of range, cut-offs
// that do not grow, and another program's file are errors with file, line and column. Where `hash` says that
// the file belongs to another version of the program, the program uses what fits of it (fit.h); [made-by]
// says where the file comes from (origin.h). A run never writes a configuration.
#pragma once
#include "runtime/abi/program.h"
#include <string>
#include <vector>

namespace pb::config {

/// Fills the program's slots from TOML text; `where` names the file in messages. Returns the errors
/// ("FILE:3:9: error: ..." each with its help). If there are none, everything was applied; otherwise nothing
/// was. `threads` is set when the text says so. Text in the original compiler's format is accepted too
/// (original.h); `warnings` gets what no longer exists of such a text, and a warning where its [kernels] are
/// not the program's.
std::vector<std::string> apply(const Program &, const std::string &toml, const std::string &where,
                               int *threads, std::vector<std::string> *warnings = nullptr);

/// Puts every slot to its default.
void applyDefaults(const Program &);

/// The current values of all slots as TOML that apply() accepts.
std::string describe(const Program &);

/// A device of the machine, for infoJson().
struct DeviceInfo {
  std::string id, name, driver;
};
std::string infoJson(const Program &, const std::vector<DeviceInfo> &devices = {});

/// "double", "input", ... as infoJson has them.
const char *name(ElementKind);
const char *name(Role);

/// The key of a site in its transform's table: "choice" or "choice_NAME".
std::string choiceKey(const Transform &, const Site &);

inline constexpr int kMaxThreads = 1024;

} // namespace pb::config
