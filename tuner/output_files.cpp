// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/output_files.h"

#include "tuner/journal/journal.h"
#include "tuner/report/page.h"
#include "tuner/report/summary.h"
#include "tuner/space/toml.h"
#include "tuner/write_file.h"

#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;

/// Entries of configurations other than tables of transforms (result_file.h).
bool isConfigurationKey(const std::string &key) {
  return key == "program" || key == "hash" || key == "threads" || key == "kernels" || key == "made-by";
}

enum class Content { Configuration, Page, Recording, Program };

std::string beginOf(const std::string &path) {
  std::string begin(256, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return begin;
}

bool isOfKind(Content content, const std::string &path) {
  const std::string begin = beginOf(path);
  if (begin.empty())
    return true;
  switch (content) {
  case Content::Configuration: // or one written by hand
    return begin.starts_with("# " + kMadeByTune) || tomlProblem(textOf(path), path).empty();
  case Content::Page:
    return begin.starts_with("<!DOCTYPE html>");
  case Content::Recording:
    return begin.starts_with("{\"cutoffs\":");
  case Content::Program:
    return begin.starts_with("\177ELF") && ::access(path.c_str(), X_OK) == 0;
  }
  return false;
}

/// The reason why a file of that kind cannot be written there; empty if it can.
std::string obstacle(Content content, const std::string &path) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(path).parent_path();
  if (fs::is_directory(path, ignored))
    return "it is a folder";
  if (!fs::is_directory(folder, ignored))
    return "there is no such folder";
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    // A configuration or program must be a file: a journal lies beside a configuration, and both are read
    // again.
    return content == Content::Configuration || content == Content::Program
               ? "it is not a file but a device or a pipe"
               : "";
  if (::access(folder.c_str(), W_OK) != 0)
    return "the folder may not be written to";
  if (!fs::exists(path, ignored))
    return "";
  if (::access(path.c_str(), W_OK) != 0)
    return "it may not be written to";
  if (isOfKind(content, path))
    return "";
  std::string why = "what is there is something else, and is left as it is";
  if (content == Content::Configuration && fs::path(path).extension() == ".cfg") // or is it by hand?
    why += "\n  " + tomlProblem(textOf(path), path);
  return why;
}

void requireRecording(const std::string &path) {
  if (const std::string why = obstacle(Content::Recording, path); !why.empty())
    throw TunerError(fmt::format("--record={}: the times cannot be written there: {}\n"
                                 "  help: give another file",
                                 path, why));
}

} // namespace

void requireConfiguration(const std::string &path, const std::string &elsewhere) {
  if (const std::string why = obstacle(Content::Configuration, path); !why.empty())
    throw TunerError(fmt::format("{}: the configuration cannot be written there: {}\n"
                                 "  help: {} writes it elsewhere",
                                 path, why, elsewhere));
}

void requireOwnConfiguration(const ProgramSpace &space, const std::string &path, bool isNamed,
                             const std::string &elsewhere) {
  const std::string text = textOf(path);
  const std::string program = programNamed(text);
  if (program.empty() && !text.starts_with("# " + kMadeByTune)) // by hand, or of another tool
    for (const std::string &key : topLevelKeys(text))
      if (!space.transforms.contains(key) && !isConfigurationKey(key))
        throw TunerError(fmt::format("{}: the configuration cannot be written there: what is there has an "
                                     "entry '{}', which is nothing of {}, and is left as it is\n"
                                     "  help: {} writes it elsewhere",
                                     path, key, space.program, elsewhere));
  if (isNamed && !program.empty() && program != space.program)
    throw TunerError(
        fmt::format("{}: this configuration belongs to another program, {}, and is left as it is\n"
                    "  help: {} writes that of {} elsewhere",
                    path, program, elsewhere, space.program));
}

void requirePage(const std::string &option, const std::string &path) {
  if (const std::string why = obstacle(Content::Page, path); !why.empty())
    throw TunerError(fmt::format("{}={}: the page cannot be written there: {}\n"
                                 "  help: give another file{}",
                                 option, path, why, option == "--report" ? ", or `none`" : ""));
}

void requireDistinct(const std::vector<std::pair<std::string, std::string>> &files) {
  std::error_code ignored;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!files[i].second.empty() && !files[k].second.empty() &&
          fs::weakly_canonical(files[i].second, ignored) == fs::weakly_canonical(files[k].second, ignored))
        throw TunerError(fmt::format("{} is {} and {}\n  help: each needs a file of its own", files[i].second,
                                     files[k].first, files[i].first));
}

void requireOutputs(const TuneOptions &options, const std::string &output, const std::string &report) {
  if (!options.record.empty()) {
    requireDistinct({{"the program", options.program}, {"the file of --record", options.record}});
    return requireRecording(options.record);
  }
  requireDistinct({{"the program", options.program},
                   {"the configuration", output},
                   {"the journal", journalPath(output)},
                   {"the report", report}});
  requireConfiguration(output);
  if (!report.empty())
    requirePage("--report", report);
}

void requireKernelOutputs(const TuneOptions &options, const std::string &program,
                          const std::string &configuration) {
  requireDistinct({{"the source", options.program},
                   {"the program (--output)", program},
                   {"the configuration", configuration},
                   {"the journal", journalPath(configuration)}});
  if (const std::string why = obstacle(Content::Program, program); !why.empty())
    throw TunerError(fmt::format("{}: the program cannot be written there: {}\n"
                                 "  help: {} makes it elsewhere",
                                 program, why, kElsewhereWithProgram));
  requireConfiguration(configuration, kElsewhereWithProgram);
}

TunerError unwritten(const TunerError &problem, const std::string &text) {
  return text.empty() ? problem
                      : TunerError(fmt::format("{}\n  this is what was found:\n{}", problem.what(), text));
}

fs::path frontFolder(const std::string &output) {
  const fs::path folder = fs::path(output).replace_extension(".front");
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem || ::access(folder.c_str(), W_OK) != 0)
    throw TunerError(fmt::format("{}: the front cannot be written there: {}\n"
                                 "  help: --output=FILE.cfg puts it into FILE.front",
                                 folder.string(), problem ? problem.message() : "no permission"));
  for (const auto &entry : fs::directory_iterator(folder, problem))
    if (entry.path().extension() != ".cfg" || !beginOf(entry.path().string()).starts_with("# " + kMadeByTune))
      throw TunerError(fmt::format("{}: is not of an earlier front, and is left as it is\n"
                                   "  help: move it, or use --output=FILE.cfg: the front goes to FILE.front",
                                   entry.path().string()));
  return folder;
}

std::string reportPath(const TuneOptions &options, const std::string &output) {
  if (options.report == "none")
    return "";
  if (!options.report.empty())
    return options.report;
  return options.front.empty() ? pagePath(output)
                               : fs::path(output).replace_extension(".front.html").string();
}

} // namespace pbc::tuner
