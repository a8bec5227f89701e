// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files of schedules: those that --schedule names, and those beside files of the standard library (stdlib/schedules/linalg.sched belongs
// to <linalg.pbcc>).
//
//   schedule wide for Blur.Rows { vector(x); }     one of the rules of Blur
//   schedule gemm for *.Cells { ... }              the rules Cells of all transforms that have one
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::driver {

struct ScheduleFile {
  source::FileId file;
  /// Of the library: the file to whose transforms it belongs. A schedule there may apply to none of them.
  std::optional<source::FileId> beside;
};

/// Loads the files that --schedule names, and those that belong to the library's files that were read so far. Throws
/// Refusal if one cannot be read.
std::vector<ScheduleFile> loadSchedules(source::SourceManager &, const std::vector<std::string> &paths,
                                        const std::string &standardFolder);

/// Adds the schedules of a file to the transforms that they name. `*` stands for those of the file beside it, or for all.
void addSchedules(syntax::Program &, const ScheduleFile &, source::Diagnostics &);

} // namespace pbc::driver
