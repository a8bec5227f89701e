// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes the body of a rule that accumulates: the loops, and in them the body as it was written, whose value is added.
//
//   { return a * v; }                     =>  double sum = 0; for (int x = 0; x < w; ++x) sum += (a.cell(x) * v.cell(x)); return sum;
//   { if (a > 0) return a; return 1; }    =>  ... sum += (a.cell(x) > 0) ? (a.cell(x)) : (1); ...
//   { double d = a; return d * d; }       =>  ... { double d = a.cell(x); sum += (d * d); } ...
//
// Any other body becomes a function that is called in the loops. A path without `return` adds nothing.
#pragma once
#include "compiler/sema/accumulation_loops.h"

namespace pbc::sema {

struct AccumulationBody {
  syntax::Accumulation accumulation;
  std::string element; // of the matrix, as C++ writes it
  AccumulationLoops loops;
  std::map<std::string, std::string> regions; // the name of a region and what the body reads in its place
  std::string sum;                            // a name that the body does not use
};

source::MappedText accumulatingBody(const source::MappedText &, const AccumulationBody &);

} // namespace pbc::sema
