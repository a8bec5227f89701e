// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/pending_files.h"
#include "runtime/base/read_file.h"
#include "runtime/base/run_state.h"
#include "runtime/config/configuration.h"
#include "runtime/config/fit.h"
#include "runtime/config/origin.h"
#include "runtime/program/command.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits.h>
#include <unistd.h>

namespace pb::program {
namespace {

/// PROGRAM.cfg beside the program's path as it was called, and beside the file that really runs.
std::vector<std::string> placesBeside(const std::string &self) {
  std::vector<std::string> places;
  if (self.find('/') != self.npos)
    places.push_back(self + ".cfg");
  char path[PATH_MAX];
  const long n = readlink("/proc/self/exe", path, sizeof path);
  if (n > 0 && n < PATH_MAX)
    places.push_back(std::string(path, static_cast<size_t>(n)) + ".cfg");
  return places;
}

/// "" if there is no such file.
std::string configurationBeside(const std::string &self) {
  for (const std::string &place : placesBeside(self))
    if (access(place.c_str(), F_OK) == 0)
      return place;
  return "";
}

void refuse(const std::vector<std::string> &errors) {
  constexpr size_t kMostShown = 50;
  std::string all;
  for (size_t i = 0; i < errors.size() && i < kMostShown; ++i)
    all += (all.empty() ? "" : "\n") + errors[i];
  if (errors.size() > kMostShown)
    all += "\n... and " + std::to_string(errors.size() - kMostShown) + " more";
  if (!all.empty())
    throw base::UserError("the configuration does not fit" + std::string(":\n") + all +
                          "\n(--noconfig runs with the defaults)");
}

void applyOrRefuse(const Program &program, const std::string &text, const std::string &where, int *threads) {
  std::vector<std::string> warnings;
  const std::vector<std::string> errors = config::apply(program, text, where, threads, &warnings);
  for (const std::string &w : warnings)
    base::printWarning(w);
  base::setUntrained(false);
  refuse(errors);
}

bool mayWarn(const Options &options) {
  const char *environment = std::getenv("PB_WARNINGS");
  return options.warnings && !(environment && std::string_view(environment) == "no");
}

/// A file that was made for another version is used as far as it fits. A file without `hash` is written by
/// hand, and mistakes in it are errors.
void applyFile(const Program &program, const Options &options, const std::string &self,
               const std::string &text, const std::string &where, int *threads) {
  std::string warning;
  if (config::originOf(program, text).isOtherVersion) {
    const config::Fitted fitted = config::fit(program, text, where, threads);
    base::setUntrained(false);
    refuse(fitted.errors);
    warning = config::warningAbout(program, text, where, self, &fitted);
  } else {
    applyOrRefuse(program, text, where, threads);
    warning = config::warningAbout(program, text, where, self, nullptr);
  }
  if (!warning.empty() && mayWarn(options))
    base::printWarning(warning);
}

/// Applies the configuration that the program has without any file.
void applyBaked(const Program &program, int *threads) {
  config::applyDefaults(program);
  if (program.bakedConfiguration)
    applyOrRefuse(program, program.bakedConfiguration, "baked configuration", threads);
}

} // namespace

void resetConfiguration(const Program &program, const Options &options, const std::string &self) {
  int threads = 0;
  applyBaked(program, &threads);
  const std::vector<std::string> beside = placesBeside(self);
  const std::string file = options.config ? *options.config : beside.empty() ? "" : beside.front();
  if (file.empty())
    throw base::UserError(
        "the configuration cannot be written: no place for it is known (--config=FILE names one)");
  base::writeWhole(file, config::describe(program));
  std::printf("%s: the default configuration was written to %s\n", base::programName(), file.c_str());
}

void configure(const Program &program, const Options &options, const std::string &self, int *threads) {
  applyBaked(program, threads);
  if (!options.useConfig)
    return;
  const std::string file = options.config ? *options.config : configurationBeside(self);
  if (file.empty()) {
    if (options.config)
      throw base::UserError("--config expects a file");
    return;
  }
  // As in the original, where every program writes its file at its end, the file may be missing in a first
  // run.
  if (options.config && access(file.c_str(), F_OK) != 0 && errno == ENOENT) {
    base::printWarning(std::string(base::programName()) + ": warning: " + file +
                       " does not exist: the defaults are used");
    return;
  }
  const base::FileText content = base::readFile(file);
  if (!content.text)
    throw base::UserError(file + ": cannot read the configuration: " + content.why);
  applyFile(program, options, self, *content.text, file, threads);
}

} // namespace pb::program
