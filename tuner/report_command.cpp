// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report_command.h"

#include "runtime/base/parse_status.h"
#include "tuner/output_files.h"
#include "tuner/report/explain.h"
#include "tuner/report/page.h"
#include "tuner/write_file.h"

#include <CLI/CLI.hpp>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>

namespace pbc::tuner {
namespace {

/// Decides by the file's content, because on some file systems every file is executable.
bool isCompiled(const std::string &path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return false;
  char head[4] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  return std::memcmp(head, "\177ELF", 4) == 0 || std::memcmp(head, "#!", 2) == 0;
}

void addEvidence(CLI::App &app, EvidenceOptions &options) {
  app.add_option("program", options.program, "a program made by pbc")->required();
  app.add_option("--config", options.configuration, "the configuration to speak of (default: PROGRAM.cfg)");
  app.add_option("--journal", options.journal,
                 "the journal of its tuning (default: PROGRAM.tune.sqlite, beside the configuration)");
}

int guarded(const char *command, const std::function<void()> &work) {
  try {
    work();
    return 0;
  } catch (const TunerError &problem) {
    fmt::print(stderr, "{}: error: {}\n", command, pb::base::visible(problem.what()));
  } catch (const std::exception &problem) {
    fmt::print(stderr,
               "{}: internal error: {}\n  help: this is a fault of pbc; please report it with the command\n",
               command, pb::base::visible(problem.what()));
  }
  return 1;
}

/// The same path to which pbc tune writes it.
std::string beside(const EvidenceOptions &options) {
  const std::string configuration =
      options.configuration.empty() ? options.program + ".cfg" : options.configuration;
  return pagePath(configuration);
}

void remark(const char *command, const Evidence &evidence) {
  for (const std::string &line : evidence.remarks)
    fmt::print(stderr, "{}: note: {}\n", command, pb::base::visible(line));
}

} // namespace

bool explainsProgram(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.ends_with(".pbcc"))
      return false;
    if (word.starts_with("-"))
      continue;
    if (std::filesystem::exists(word))
      return isCompiled(word);
  }
  return false;
}

int explainCommand(int argc, char **argv) {
  EvidenceOptions options;
  std::string choice;
  bool asJson = false;
  CLI::App app(
      "Shows what a program's configuration decides and why: winner, runner-up and the gap between them, as "
      "measured; where choices flip; what was rejected.",
      "pbc explain");
  addEvidence(app, options);
  app.add_option("choice", choice, "one choice or tunable (default: a line for each)");
  app.add_flag("--json", asJson, "print JSON");
  app.footer("Example:\n  pbc explain ./sort          a line for each choice\n"
             "  pbc explain ./sort Sort     all that is known of one\n\n"
             "For a source, pbc explain FILE.pbcc shows what the compiler makes of each rule and loop.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &problem) {
    return pb::base::parseStatus(app, problem);
  }
  return guarded("pbc explain", [&] {
    const Evidence evidence = gather(options);
    const std::string text = asJson           ? explainAsJson(evidence, choice)
                             : choice.empty() ? explainAll(evidence)
                                              : explainOne(evidence, choice);
    if (!asJson)
      remark("pbc explain", evidence);
    fmt::print("{}", text);
  });
}

int reportCommand(int argc, char **argv) {
  EvidenceOptions options;
  std::string output;
  CLI::App app("Writes what a tuning found, and how, as one HTML page, from the program's journal: nothing "
               "is measured.",
               "pbc report");
  addEvidence(app, options);
  app.add_option("-o,--output", output, "the page to write (default: PROGRAM.tune.html)");
  app.footer("Example:\n  pbc report ./sort     writes sort.tune.html");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &problem) {
    return pb::base::parseStatus(app, problem);
  }
  return guarded("pbc report", [&] {
    const Evidence evidence = gather(options);
    if (!evidence.hasTrials())
      throw TunerError(evidence.remarks.empty() ? "there is nothing to report" : evidence.remarks.back());
    const std::string path = output.empty() ? beside(options) : output;
    remark("pbc report", evidence);
    requirePage("--output", path);
    requireDistinct({{"the program", options.program}, {"the report", path}});
    writeAtomically(path, page(evidence));
    fmt::print("{}\n", path);
  });
}

} // namespace pbc::tuner
