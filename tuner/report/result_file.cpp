// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/result_file.h"

#include "tuner/space/toml.h"

#include <numeric>

namespace pbc::tuner {

std::string ResultFile::text(const ProgramSpace &space, const Summary &summary, const Effort &effort,
                             int threads) {
  std::vector<std::string> comments = provenance(space, summary);
  Provenance made = madeBy(space, summary, effort);
  if (space.bins.size() > 1) {
    bins_.push_back({space.main, summary.sizes, made.measurements, made.defaultSeconds, made.tunedSeconds});
    made.bins = bins_;
    made.budget *= static_cast<double>(space.bins.size());
    made.measurements =
        std::accumulate(bins_.begin(), bins_.end(), 0L,
                        [](long sum, const Provenance::Bin &bin) { return sum + bin.measurements; });
    if (!comments_.empty()) // program, date and machine are those of the first bin
      comments.erase(comments.begin(), comments.begin() + kProvenanceHead);
    comments_.insert(comments_.end(), comments.begin(), comments.end());
    comments = comments_;
  }
  return withKernels(toToml(space, summary.result.best, {threads, comments}) + "\n" + toToml(made),
                     toToml(kernels_));
}

} // namespace pbc::tuner
