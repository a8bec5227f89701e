// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/results.h"

#include "tuner/evaluate/interrupt.h"
#include "tuner/output_files.h"
#include "tuner/report/page.h"
#include "tuner/write_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {

namespace fs = std::filesystem;

void SessionResults::write(const ProgramSpace &space, Summary &summary, const Configuration *earlier,
                           const Effort &effort) {
  const TuneResult &result = summary.result;
  // After an early stop, the default would only replace the better result of a longer tuning.
  summary.kept = (summary.stopped || summary.isCut) && !result.raced && earlier &&
                 (!result.changed || summary.sizes != summary.fullSizes);
  if (summary.kept)
    summary.result.best = *earlier;
  else
    writeConfiguration(context_.output, file_.text(space, summary, effort, context_.options.threads));
  if (summary.stopped)
    context_.progress.note("stopped; the best so far is kept");
  else if (summary.isCut && !result.raced)
    context_.progress.note(fmt::format(
        "the budget of {:.3g} s was over before the last race; the best so far is kept", effort.budget));
  if (!context_.report.empty() && writePage(summary.journal))
    summary.report = context_.report;
  texts_.push_back(context_.options.json ? asJson(space, summary) : asText(space, summary));
}

void SessionResults::writeFront(const ProgramSpace &space, FrontReport &report,
                                const std::vector<std::string> &tunedSizes, bool hasEarlier,
                                const Effort &effort) {
  // A front that was stopped early would only replace the better one of a longer tuning.
  if (!report.result.isWhole && (hasEarlier || fs::exists(frontFile(0)))) {
    context_.progress.note("stopped before the last runs: the earlier configurations stay");
    if (context_.options.json)
      texts_.push_back(
          nlohmann::json{{"output", context_.output}, {"changed", false}, {"stopped", true}}.dump(2) + "\n");
    hasKept_ = true;
    return;
  }
  if (!report.result.points.empty())
    writePoints(space, report, tunedSizes, effort);
  texts_.push_back(context_.options.json ? asJson(space, report) : asText(space, report));
}

void SessionResults::writePoints(const ProgramSpace &space, FrontReport &report,
                                 const std::vector<std::string> &tunedSizes, const Effort &effort) {
  report.page = context_.report;
  for (std::size_t i = 0; i < report.result.points.size(); ++i) {
    Summary summary = summaryOf(report, i);
    summary.tunedSizes = tunedSizes;
    const std::string text = file_.text(space, summary, effort, context_.options.threads);
    if (i == 0)
      writeConfiguration(context_.output, text);
    report.files.push_back(frontFile(i));
    writeConfiguration(report.files.back(), text);
  }
  std::error_code problem;
  for (std::size_t i = report.result.points.size(); fs::remove(frontFile(i), problem); ++i) {
  } // all files in this folder belong to the front: frontFolder()
  if (!report.page.empty())
    writeAtomically(report.page, frontPage(space, report));
}

void SessionResults::print() const {
  if (context_.options.json && !texts_.empty() && (hasBins_ || texts_.size() > 1))
    fmt::print("[\n{}]\n", fmt::join(texts_, ",\n"));
  else
    fmt::print("{}", fmt::join(texts_, ""));
  std::fflush(stdout);
}

void SessionResults::printUpToDate() const {
  if (context_.options.json)
    fmt::print("{}\n",
               nlohmann::json{{"output", context_.output}, {"changed", false}, {"up_to_date", true}}.dump(2));
  else
    fmt::print("{}: nothing has changed since it was made\n", context_.output);
}

/// The file of the front's point with this index.
std::string SessionResults::frontFile(std::size_t point) const {
  return (frontFolder(context_.output) / fmt::format("{}.cfg", point + 1)).string();
}

void SessionResults::writeConfiguration(const std::string &path, const std::string &text) {
  try {
    writeAtomically(path, text);
  } catch (const TunerError &problem) {
    throw unwritten(problem, text);
  }
  hasWritten_ = true;
}

/// Makes the page from the journal alone, as `pbc report` does. An error in writing it does not affect the result.
bool SessionResults::writePage(const std::string &journal) const {
  const StopHeard toTheEnd; // the program is started again with --info
  try {
    writeAtomically(context_.report, page(gather({context_.options.program, context_.output, journal})));
    return true;
  } catch (const TunerError &problem) {
    context_.progress.note(fmt::format("there is no report: {}", problem.what()));
    return false;
  }
}

} // namespace pbc::tuner
