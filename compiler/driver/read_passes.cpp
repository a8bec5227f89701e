// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The passes from the source file to the facts about bodies.
#include "compiler/driver/adaptor_files.h"
#include "compiler/driver/default_element.h"
#include "compiler/driver/finished_program.h"
#include "compiler/driver/front_end.h"
#include "compiler/driver/passes.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/standard_library.h"
#include "compiler/sema/check.h"
#include "compiler/source/load.h"
#include <filesystem>
#include <fmt/format.h>

namespace pbc::driver {
namespace {

/// Checks that the name of the program does not belong to something that must not be overwritten.
void requireOutput(const Options &options) {
  std::error_code noSuchFile;
  if (std::filesystem::equivalent(options.input, options.output, noSuchFile))
    throw Refusal(fmt::format(
        "pbc: error: the program {} would overwrite its own source\nhelp: name another file with -o\n",
        options.output));
  const auto old = std::filesystem::status(options.output, noSuchFile);
  if (std::filesystem::exists(old) && !std::filesystem::is_regular_file(old) &&
      !std::filesystem::is_directory(old))
    throw Refusal(fmt::format(
        "pbc: error: {} is a device or a pipe, which a program would replace\nhelp: name a file with -o\n",
        options.output));
}

} // namespace

void readSource(Compilation &c) {
  std::string why;
  const auto file = source::load(c.sources, c.options.input, &why);
  if (!file)
    throw Refusal(fmt::format(
        "pbc: error: cannot read {}: {}\nhelp: give the path of a .pbcc file{}\n", c.options.input, why,
        c.options.input.ends_with(".pbcc") ? "" : "; pbc explain takes that of a program, too"));
  c.file = *file;
  if (c.options.stage == Stage::Program)
    requireOutput(c.options);
}

void preprocess(Compilation &c) {
  c.text = syntax::preprocess(c.sources, c.file, c.diagnostics, c.options.defines, c.options.includePath,
                              c.standardFolder);
  c.scheduleFiles = loadSchedules(c.sources, c.options.schedules, c.standardFolder);
  if (!c.options.adaptors.empty() || c.text.text.find("structure") != std::string::npos)
    c.adaptorFiles = loadAdaptors(c.sources, c.options.adaptors, c.standardFolder);
}

void lookForFinishedProgram(Compilation &c) {
  if (!c.cache.enabled() || !mayBeCached(c.options, c.text))
    return;
  std::vector<std::string_view> schedules;
  for (const ScheduleFile &file : c.scheduleFiles)
    schedules.push_back(c.sources.text(file.file));
  for (const source::FileId file : c.adaptorFiles)
    schedules.push_back(c.sources.text(file));
  c.programKey = programKey(c.options, c.text, schedules);
  const auto entry = c.cache.get(c.programKey);
  const auto bytes = entry ? programOf(*entry) : std::nullopt;
  if (!bytes)
    return;
  c.written.add(c.options.output, {*bytes}, pb::base::PendingFiles::Kind::Program);
  c.written.commit();
  c.isFinished = true;
}

void parse(Compilation &c) {
  c.program = syntax::parse(c.text, c.file, c.diagnostics);
  for (const ScheduleFile &file : c.scheduleFiles)
    addSchedules(c.program, file, c.diagnostics);
  c.adaptors = readAdaptors(c.adaptorFiles, c.diagnostics);
  leaveOutUnused(c.program, c.sources, c.standardFolder, c.options.mainTransform);
  setDefaultElement(c.program, c.options.element);
}

void check(Compilation &c) {
  const std::string name = std::filesystem::path(c.options.input).stem().string();
  c.module = sema::check(c.program, name, c.options.mainTransform, c.diagnostics);
  c.module.element = c.options.element;
  if (c.options.reassociates)
    for (auto &t : c.module.transforms)
      for (auto &r : t.rules)
        r.fast = true;
}

void understandBodies(Compilation &c) {
  const body::FrontEnd frontEnd = frontEndOf(c);
  c.understood = body::understand(c.module, c.diagnostics, c.options.includePath, &frontEnd);
  c.facts = std::move(c.understood.facts);
  if (!c.options.boundsCheck)
    return;
  // Kernels use raw pointers, but the checks are in the methods of regions, so bodies are not lifted.
  for (auto &ofTransform : c.facts)
    for (auto &f : ofTransform) {
      f.onDevice = std::make_shared<const body::DeviceBody>(
          body::DeviceBody{.obstacle = "--bounds-check checks on the processor only"});
      if (f.liftable)
        f.liftable = false, f.obstacle = "--bounds-check keeps bodies as they are written";
    }
}

} // namespace pbc::driver
