// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Everything that `pbc explain ./prog` and `pbc report ./prog` speak of, gathered: what the program can
// decide, what its configuration says, what the journal knows, and the analysis of it.
//
//   Evidence evidence = gather({.program = "./sort"});
//   evidence.parts[0].analysis.decisions   (one part for each accuracy bin; most programs have one)
//
// Invariant: a program without configuration or journal has evidence, too; `remarks` say what is missing and
// how to get it.
#pragma once
#include "tuner/report/analysis.h"

namespace pbc::tuner {

struct EvidenceOptions {
  std::string program;
  std::string configuration; // empty: PROGRAM.cfg
  std::string journal;       // empty: beside the configuration
};

struct Part {
  Objective objective; // of the configuration: what the analysis calls seconds
  ProgramSpace space;
  Configuration configuration;
  Recording recording;
  Analysis analysis;
};

struct Evidence {
  std::string program; // as the user calls it
  std::string from;    // the configuration's file; "" where nothing but the program says values
  std::string journal; // its file; "" if there is none
  std::string toml;    // of the configuration
  std::vector<std::string> provenance; // the comments at its head
  std::vector<std::string> kernels;    // "Heat.inside.jam = 2": decided when the program was compiled
  std::vector<std::string> remarks;
  std::vector<Part> parts;

  bool hasTrials() const;
};

/// Throws TunerError for a program that is none, and for files named by the user that cannot be read.
Evidence gather(const EvidenceOptions &);
/// What is said of one program space: for tests, and where everything is known already.
Part partOf(ProgramSpace, const Configuration &, const std::vector<JournalEntry> &, const std::string &bin,
            const Objective & = {});

} // namespace pbc::tuner
