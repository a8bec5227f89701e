// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gathers everything that `pbc explain ./prog` and `pbc report ./prog` print: what the program can decide,
// what its configuration says, what the journal knows, and the analysis of it.
//
//   Evidence evidence = gather({.program = "./sort"});
//   evidence.parts[0].analysis.decisions   (one part for each accuracy bin; most programs have one)
//
// Invariant: a program without configuration or journal has evidence, too; `remarks` say what is missing and
// how to get it.
#pragma once
#include "tuner/evaluate/lower_bounds.h"
#include "tuner/report/analysis.h"

namespace pbc::tuner {

struct EvidenceOptions {
  std::string program;
  std::string configuration; // empty: PROGRAM.cfg
  std::string journal;       // empty: beside the configuration
};

/// What the tuning itself says in the configuration: mostly times of its last race, which were measured in turns.
struct WhenTuned {
  std::string size;
  double byDefault = 0, tuned = 0; // values of the objective
};

struct Part {
  Objective objective; // that of the configuration: the analysis calls its values seconds
  ProgramSpace space;
  Configuration configuration;
  Recording recording;
  Analysis analysis;
  std::optional<WhenTuned> whenTuned{};
  std::map<std::string, TransformBounds> bounds{}; // of the main transform, by the name of the size
};

struct Evidence {
  std::string program;                 // as the user named it
  std::string from;                    // the configuration's file; "" if only the program gives values
  std::string journal;                 // its file; "" if there is none
  std::string toml;                    // of the configuration
  std::vector<std::string> provenance; // the comments at its head
  std::vector<std::string> kernels;    // "Heat.inside.jam = 2": decided when the program was compiled
  std::vector<std::string> remarks;
  std::vector<Part> parts;

  bool hasTrials() const;
};

/// Throws TunerError for a file that is no program of pbc, and for files named by the user that cannot be
/// read.
Evidence gather(const EvidenceOptions &);
/// The evidence about one program space: for tests, and where everything is known already.
Part partOf(ProgramSpace, const Configuration &, const std::vector<JournalEntry> &, const std::string &bin,
            const Objective & = {});

} // namespace pbc::tuner
