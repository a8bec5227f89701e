// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which files a command may write, before anything is measured: after a minute of measuring it would
// be too late.
//
//   requireConfiguration("sort.cfg")    nothing is there, or a configuration
//   requirePage("--report", "a.html")   nothing, a page, or not a regular file (a pipe, a device)
//   requireDistinct({{"--output", "a.cfg"}, {"--report", "a.cfg"}})   throws: the same file
//
// Invariant: a file is overwritten only if a command like this has written it. All functions throw a
// TunerError, which says what is there and how to mend it.
#pragma once
#include "tuner/session.h"
#include "tuner/space/program_space.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pbc::tuner {

/// Checks all files of a tuning, or of a recording (`--record`). `report` may be empty.
void requireOutputs(const TuneOptions &, const std::string &output, const std::string &report);

/// Checks the files of `--kernels`; a file at the program's place must be a program.
void requireKernelOutputs(const TuneOptions &, const std::string &program, const std::string &configuration);

/// The option that puts a configuration into another place, without and with `--kernels`.
constexpr const char *kElsewhere = "--output=FILE.cfg", *kElsewhereWithProgram = "--output=PROGRAM";
void requireConfiguration(const std::string &path, const std::string &elsewhere = kElsewhere);
/// The configuration must belong to this program or to an earlier version of it; TOML files of other tools
/// are refused. If the user has named the file (`isNamed`), another program's configuration is left as it is,
/// because naming it may be a mistake.
void requireOwnConfiguration(const ProgramSpace &, const std::string &path, bool isNamed,
                             const std::string &elsewhere = kElsewhere);
void requirePage(const std::string &option, const std::string &path);

/// Each entry says what a file is for, and its path; empty paths do not count.
void requireDistinct(const std::vector<std::pair<std::string, std::string>> &files);

/// Adds a text that could not be written to the problem, so that the user can at least copy it.
TunerError unwritten(const TunerError &problem, const std::string &text);

/// The folder of the files of a front, created if it does not exist; it must not contain files of others.
std::filesystem::path frontFolder(const std::string &output);

/// The path beside the configuration, with another suffix; empty if no report is wanted.
std::string reportPath(const TuneOptions &, const std::string &output);

} // namespace pbc::tuner
