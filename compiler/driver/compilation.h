// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One compilation: the options, and the results of the passes so far.
//
//   Compilation c(options);
//   readSource(c);   preprocess(c);   parse(c); ...     // passes.h, in the order of pipeline.cpp
//
// Invariants: a pass writes only the values below its name; a value that a later pass must change is replaced
// as a whole, and the comment names that pass.
#pragma once
#include "compiler/build/cache.h"
#include "compiler/build/compile.h"
#include "compiler/build/file_states.h"
#include "compiler/build/link.h"
#include "compiler/build/preambles.h"
#include "compiler/driver/kernel_requests.h"
#include "compiler/driver/options.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/schedule_files.h"
#include "compiler/emit/emit.h"
#include "compiler/schedule/versions.h"
#include "compiler/script/adaptor.h"
#include "compiler/syntax/parse.h"
#include "runtime/base/pending_files.h"
#include <functional>

namespace pbc::driver {

struct Compilation {
  explicit Compilation(const Options &);
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  const Options &options;
  const std::string standardFolder;
  source::SourceManager sources;
  source::Diagnostics diagnostics;
  build::Cache cache;
  build::Preambles preambles;
  /// The earliest time at which files of the disk may have been read.
  const build::FileStates::Time begin = build::FileStates::now();
  /// Lines for --time-passes that passes add to their own.
  std::string times;
  /// True if nothing is left to do, because the program was found in the cache.
  bool isFinished = false;

  // read
  source::FileId file = 0;
  // preprocess
  source::MappedText text;
  std::vector<ScheduleFile> scheduleFiles;
  std::vector<source::FileId> adaptorFiles;
  // look for the finished program
  build::Cache::Key programKey; // empty if this program is not kept
  // parse
  syntax::Program program;
  std::vector<script::Adaptor> adaptors;
  // check; replaced by `versions`
  sema::Module module;
  // understand bodies
  std::vector<std::vector<body::Facts>> facts;
  std::set<std::pair<std::string, int>>
      unseen; // rules whose opaque bodies read matrices with a structure: family and number
  body::Understanding understood; // without its facts
  // choice grid
  poly::Context context; // of all sets from here on, so it must be destroyed last
  std::vector<choice::Choices> choices;
  // plans
  std::vector<schedule::TransformPlans> plans;
  // versions
  std::vector<std::vector<schedule::Storage>> storage; // by transform and matrix
  // configuration
  std::string bakedConfiguration;
  KernelRequests requests;
  // kernels
  emit::Kernels kernels;
  Reports reports;
  emit::Fusions fusions;
  emit::Turns turns;
  emit::Devices devices;
  emit::Versions versions;         // other schedules, among which the program chooses
  std::vector<KernelSpace> spaces; // the options that a configuration may set for them
  // emit
  std::optional<emit::Library> library; // nothing: a program
  std::vector<emit::Unit> units;
  std::optional<build::Compilations> compiling; // of units, while others are still being made
  std::vector<std::string> begun;               // their requests' names, in the same order
  // compile
  std::vector<build::LinkInput> objects;
  std::vector<std::string> filesRead; // on the disk, by the compiler and the linker
  bool readsOtherFiles = false;       // they may also have read files that filesRead does not have
  // link, write
  std::string executable;         // the bytes of the program
  pb::base::PendingFiles written; // `write` gives all of these files their names together
};

/// The input of the printers and emitters of later stages.
emit::Input inputOf(const Compilation &);

} // namespace pbc::driver
