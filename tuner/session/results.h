// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What one run of `pbc tune` writes: the configuration, the files of a front, the page, and the text that is printed
// at the end.
//
//   SessionResults results(context);
//   results.write(space, summary, earlier, effort);    // for each accuracy bin
//   results.print();                                   // once, also after a bin that failed
//
// Invariant: a tuning that was stopped early never replaces the better result of a longer one.
#pragma once
#include "tuner/report/front_report.h"
#include "tuner/report/result_file.h"
#include "tuner/session/context.h"

#include <string>
#include <vector>

namespace pbc::tuner {

class SessionResults {
public:
  explicit SessionResults(const SessionContext &context) : context_(context) {}

  /// The settings that the program was compiled with, from the earlier file.
  void setKernels(KernelSettings kernels) { file_.setKernels(std::move(kernels)); }
  /// Of a program with several accuracy bins, the data are a list, however many bins there was time for.
  void setHasBins(bool hasBins) { hasBins_ = hasBins; }

  /// Completes the summary: whether an earlier configuration is kept, and where the page is. `earlier` is the
  /// configuration in the file, or null. Throws TunerError, with the text, if it cannot be written.
  void write(const ProgramSpace &, Summary &, const Configuration *earlier, const Effort &);

  /// Writes a file for each point, and the page; the first point becomes the configuration. Files of an earlier
  /// front are removed. But if the front was stopped early and there is an earlier result (`hasEarlier`: the
  /// configuration), all files stay as they are.
  void writeFront(const ProgramSpace &, FrontReport &, const std::vector<std::string> &tunedSizes,
                  bool hasEarlier, const Effort &);

  void print() const;
  /// With --refresh, instead of a result.
  void printUpToDate() const;

  /// Neither is there a result, nor does an earlier front stay.
  bool isEmpty() const { return texts_.empty() && !hasKept_; }
  /// A configuration.
  bool hasWritten() const { return hasWritten_; }

private:
  std::string frontFile(std::size_t point) const;
  void writeConfiguration(const std::string &path, const std::string &text);
  bool writePage(const std::string &journal) const;
  void writePoints(const ProgramSpace &, FrontReport &, const std::vector<std::string> &tunedSizes,
                   const Effort &);

  const SessionContext &context_;
  ResultFile file_;
  bool hasBins_ = false;
  bool hasWritten_ = false; // a configuration
  bool hasKept_ = false;    // files of an earlier front
  std::vector<std::string> texts_;
};

} // namespace pbc::tuner
