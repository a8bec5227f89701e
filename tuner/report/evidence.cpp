// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/evidence.h"

#include "tuner/evaluate/child_process.h"
#include "tuner/evaluate/steps.h"
#include "tuner/journal/read_journal.h"
#include "tuner/report/words.h"
#include "tuner/space/kernel_settings.h"
#include "tuner/space/provenance.h"
#include "tuner/space/toml.h"
#include "tuner/write_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;

/// The lines at the head of a configuration that begin with `#`.
std::vector<std::string> commentsOf(const std::string &toml) {
  std::vector<std::string> comments;
  std::istringstream lines(toml);
  for (std::string line; std::getline(lines, line) && line.starts_with("#");)
    comments.push_back(line.substr(line.starts_with("# ") ? 2 : 1));
  return comments;
}

/// The configuration that the program uses without a file: its defaults, or the one that was built in.
std::string ownConfiguration(const std::string &program) {
  try {
    return outputOf({program, "--noconfig", "--print-config"}, 20);
  } catch (const TunerError &) {
    return "";
  }
}

void readConfiguration(const EvidenceOptions &options, const ProgramSpace &space, const std::string &program,
                       Evidence &evidence) {
  const bool isNamed = !options.configuration.empty();
  const std::string path = isNamed ? options.configuration : options.program + ".cfg";
  const std::string text = textOf(path);
  if (text.empty() && isNamed)
    throw TunerError(fmt::format("{}: there is no such configuration, or it is empty", path));
  if (!text.empty()) {
    try {
      (void)fromToml(space, text, path);
      evidence.from = path;
      evidence.toml = text;
    } catch (const TunerError &problem) {
      if (isNamed)
        throw;
      evidence.remarks.push_back(fmt::format("{} is not used here: {}", path, problem.what()));
    }
  } else {
    evidence.remarks.push_back(
        fmt::format("there is no {}: values are the program's own; pbc tune {} finds better ones", path,
                    options.program));
  }
  if (evidence.toml.empty())
    evidence.toml = ownConfiguration(program);
  evidence.provenance = commentsOf(evidence.toml);
  evidence.kernels = inWords(kernelSettings(evidence.toml));
}

std::vector<JournalEntry> readTrials(const EvidenceOptions &options, const ProgramSpace &space,
                                     Evidence &evidence) {
  const std::string beside = evidence.from.empty() ? options.program + ".cfg" : evidence.from;
  const std::string path = options.journal.empty() ? journalPath(beside) : options.journal;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    if (!options.journal.empty())
      throw TunerError(fmt::format("{}: there is no such journal", path));
    evidence.remarks.push_back(fmt::format(
        "there is no journal, {}: nothing is known of how these values were found\n"
        "  help: pbc tune {} measures and keeps one; --journal=FILE names one that lies elsewhere",
        path, options.program));
    return {};
  }
  std::vector<JournalEntry> entries;
  try {
    entries = readJournal(path);
  } catch (const TunerError &problem) {
    if (!options.journal.empty())
      throw;
    evidence.remarks.push_back(problem.what());
    return {};
  }
  const std::size_t all = entries.size();
  std::erase_if(entries, [&](const JournalEntry &entry) { return entry.programHash != space.journalKey(); });
  evidence.journal = path;
  if (entries.empty())
    evidence.remarks.push_back(
        fmt::format("{} knows nothing of this version of the program: its {} trials are of others\n"
                    "  help: pbc tune {} measures this one",
                    path, all, options.program));
  return entries;
}

/// The newest bounds of each size that this version of the program had on the machine.
std::map<std::string, TransformBounds> boundsOf(const std::string &journal, const ProgramSpace &space,
                                                const std::string &machine) {
  std::map<std::string, TransformBounds> found;
  for (const JournalBounds &bounds : readBounds(journal))
    if (bounds.programHash == space.journalKey() && bounds.machine == machine) {
      try {
        found[bounds.size] = parseBounds(bounds.text, space.main);
      } catch (const TunerError &) { // of a later version
      }
    }
  return found;
}

Configuration configurationOf(const ProgramSpace &space, const Evidence &evidence) {
  try {
    return evidence.toml.empty() ? Configuration::defaults(space)
                                 : fromToml(space, evidence.toml, evidence.from);
  } catch (const TunerError &) {
    // This is the program's own text of its defaults; a named file was read before.
    return Configuration::defaults(space);
  }
}

/// Nothing if the text does not say it of this bin.
std::optional<WhenTuned> whenTunedOf(const std::string &toml, const std::string &bin) {
  std::optional<WhenTuned> result;
  try {
    if (const auto origin = provenanceOf(toml)) {
      if (origin->bins.empty() && !origin->sizes.empty())
        result = {origin->sizes.back(), origin->defaultSeconds, origin->tunedSeconds};
      for (const Provenance::Bin &each : origin->bins)
        if (each.transform == bin)
          result = {each.size, each.defaultSeconds, each.tunedSeconds};
    }
  } catch (const TunerError &) { // the file was written by hand, or by a later version
  }
  if (result && (result->byDefault <= 0 || result->tuned <= 0))
    result.reset();
  return result;
}

/// The objective of the tuning; time if the text has none.
Objective objectiveOf(const std::string &toml) {
  try {
    if (const auto origin = provenanceOf(toml))
      return Objective::parse(origin->objective);
  } catch (const TunerError &) { // the file was written by hand, or by a later version
  }
  return {};
}

} // namespace

bool Evidence::hasTrials() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](const Part &part) { return !part.recording.trials.empty(); });
}

Part partOf(ProgramSpace space, const Configuration &configuration, const std::vector<JournalEntry> &entries,
            const std::string &bin, const Objective &objective) {
  const auto isOther = [&](const std::string &transform) { // decisions of another bin are in that bin's part
    return transform != space.main &&
           std::find(space.bins.begin(), space.bins.end(), transform) != space.bins.end();
  };
  for (Site &site : space.sites)
    site.isFixed |= isOther(site.transform);
  for (Tunable &tunable : space.tunables)
    tunable.isFixed |= isOther(tunable.transform);
  Part part{objective, std::move(space), configuration, {}, {}};
  part.recording = recordingOf(part.space, entries, bin, objective);
  part.analysis = analyse(part.space, part.recording, part.configuration);
  return part;
}

Evidence gather(const EvidenceOptions &options) {
  const std::string program = existingProgram(options.program);
  Evidence evidence;
  evidence.program = options.program;
  const ProgramSpace space = describeProgram(program, options.program, "");
  readConfiguration(options, space, program, evidence);
  const std::vector<JournalEntry> entries = readTrials(options, space, evidence);
  for (const std::string &bin : space.bins) {
    ProgramSpace focused =
        space.bins.size() > 1 || space.goal ? describeProgram(program, options.program, bin) : space;
    const Configuration configuration = configurationOf(focused, evidence);
    evidence.parts.push_back(partOf(std::move(focused), configuration, entries, space.goal ? bin : "",
                                    objectiveOf(evidence.toml)));
    Part &part = evidence.parts.back();
    if (!evidence.journal.empty())
      part.bounds = boundsOf(evidence.journal, part.space, part.recording.machine);
    if (part.objective.isTime() && !evidence.from.empty())
      part.whenTuned = whenTunedOf(evidence.toml, part.space.main);
  }
  return evidence;
}

} // namespace pbc::tuner
