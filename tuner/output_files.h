// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which files a command may write, found out before anything is measured: a minute later would be too late.
//
//   requireConfiguration("sort.cfg")    nothing is there, or a configuration
//   requirePage("--report", "a.html")   nothing, a page, or what is no file: a pipe, a device
//   requireDistinct({{"--output", "a.cfg"}, {"--report", "a.cfg"}})   throws: the same file
//
// Invariant: nothing is written over but what a command like this has written. All throw TunerError, which
// says what is there and how to mend it.
#pragma once
#include "tuner/session.h"
#include "tuner/space/program_space.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pbc::tuner {

/// All files of a tuning, or of a recording (`--record`). `report` may be empty.
void requireOutputs(const TuneOptions &, const std::string &output, const std::string &report);

/// Those of `--kernels`; what is at the program's place must be one.
void requireKernelOutputs(const TuneOptions &, const std::string &program, const std::string &configuration);

/// The option that puts a configuration into another place, without `--kernels` and with it.
constexpr const char *kElsewhere = "--output=FILE.cfg", *kElsewhereWithProgram = "--output=PROGRAM";
void requireConfiguration(const std::string &path, const std::string &elsewhere = kElsewhere);
/// Of this program, or of what it was; TOML of other tools is none. It may be another program's by mistake:
/// where the user has named the file (`isNamed`), that is left as it is.
void requireOwnConfiguration(const ProgramSpace &, const std::string &path, bool isNamed,
                             const std::string &elsewhere = kElsewhere);
void requirePage(const std::string &option, const std::string &path);

/// What each is, and its path; empty paths do not count.
void requireDistinct(const std::vector<std::pair<std::string, std::string>> &files);

/// The problem with a text that could not be written, so that it can be copied at least.
TunerError unwritten(const TunerError &problem, const std::string &text);

/// The folder of the files of a front, made if it is not there; others' files must not be in it.
std::filesystem::path frontFolder(const std::string &output);

/// Beside the configuration, whose suffix it takes the place of; empty: none is wanted.
std::string reportPath(const TuneOptions &, const std::string &output);

} // namespace pbc::tuner
