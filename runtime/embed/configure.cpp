// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/embed/configure.h"
#include "runtime/base/errors.h"
#include "runtime/base/read_file.h"
#include "runtime/base/run_state.h"
#include "runtime/config/configuration.h"
#include "runtime/config/fit.h"
#include "runtime/config/origin.h"
#include "runtime/embed/refusal.h"
#include "runtime/program/devices.h"
#include "runtime/program/processor.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace pb::embed {
namespace {

/// Of the library's own slots.
std::mutex ownSlots;

std::size_t slotBytes(const Library &library) {
  return static_cast<std::size_t>(library.slotsEnd - library.slots);
}

/// PROGRAM.cfg in the folder of the file that this library lies in; "" if there is none.
std::string fileBeside(const Library &library, const Program &program) {
  Dl_info info{};
  if (!dladdr(&library, &info) || !info.dli_fname)
    return "";
  const std::string path = info.dli_fname;
  const std::size_t slash = path.rfind('/');
  const std::string place =
      (slash == path.npos ? "" : path.substr(0, slash + 1)) + std::string(program.name) + ".cfg";
  return access(place.c_str(), F_OK) == 0 ? place : "";
}

void refuseIfAny(const std::vector<std::string> &errors) {
  std::string all;
  for (const std::string &e : errors)
    all += "\n" + e;
  if (!all.empty())
    throw Refusal(PBC_ERROR_CONFIGURATION, "the configuration does not fit:" + all);
}

void apply(const Program &program, const std::string &text, const std::string &where, int *threads) {
  std::vector<std::string> warnings;
  const std::vector<std::string> errors = config::apply(program, text, where, threads, &warnings);
  for (const std::string &w : warnings)
    base::printWarning(w);
  refuseIfAny(errors);
  base::setUntrained(false);
}

/// A file that was made for another version of the program is used as far as it fits.
void applyFile(const Program &program, const std::string &file, int *threads) {
  const base::FileText content = base::readFile(file);
  if (!content.text)
    throw Refusal(PBC_ERROR_CONFIGURATION, file + ": cannot read the configuration: " + content.why);
  const bool isOther = config::originOf(program, *content.text).isOtherVersion;
  config::Fitted fitted;
  if (isOther) {
    fitted = config::fit(program, *content.text, file, threads);
    refuseIfAny(fitted.errors);
    base::setUntrained(false);
  } else {
    apply(program, *content.text, file, threads);
  }
  const std::string warning =
      config::warningAbout(program, *content.text, file, "", isOther ? &fitted : nullptr);
  if (!warning.empty())
    base::printWarning(warning);
}

const Program &versionOf(const Library &library) {
  try {
    return program::versionForThisProcessor(library.versions, library.count);
  } catch (const base::UserError &e) {
    throw Refusal(PBC_ERROR_CONFIGURATION, e.what());
  }
}

} // namespace

Configured configure(const Library &library, const pbc_options &options, char *slots) {
  Configured made{&versionOf(library)};
  const Program &program = *made.program;
  const std::string file =
      options.configuration ? std::string(options.configuration) : fileBeside(library, program);
  const std::lock_guard guard(ownSlots);
  config::applyDefaults(program);
  if (program.bakedConfiguration)
    apply(program, program.bakedConfiguration, "built-in configuration", &made.threads);
  if (!file.empty())
    applyFile(program, file, &made.threads);
  made.placesSteps = program::placesSteps(program);
  std::memcpy(slots, library.slots, slotBytes(library));
  return made;
}

std::string describe(const Library &library, const Program &program, const char *slots) {
  const std::lock_guard guard(ownSlots);
  const std::vector<char> own(library.slots, library.slotsEnd); // without what memoized transforms remember
  std::memcpy(library.slots, slots, slotBytes(library));
  std::string text = config::describe(program);
  std::memcpy(library.slots, own.data(), own.size());
  return text;
}

} // namespace pb::embed
