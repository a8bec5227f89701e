// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much two results differ.
//
//   Difference d = compare(found, reference);   d.agrees;   d.value == 1.2e-15
//
// For floats the difference is the largest |a-b| / max(1, |b|); results agree up to 1e-9 (double) or 1e-4
// (float), because choices may add in another order. Two NaNs agree, and so do equal infinities. For integers
// it is the number of differing elements, which must be 0.
#pragma once
#include "runtime/matrix/matrix.h"

namespace pb::program {

struct Difference {
  bool agrees = true;
  double value = 0; // as above; infinite when only one side is NaN
  long worst = -1;  // index of the element that differs most (the first such); -1: none
  double found = 0, expected = 0;
};

/// Both must have the same element kind and extents.
Difference compare(const matrix::Matrix &found, const matrix::Matrix &reference);
/// The worst difference of all outputs; one that disagrees is worse than all that agree.
Difference compareAll(const std::vector<matrix::Matrix> &found, const std::vector<matrix::Matrix> &reference,
                      size_t *worstMatrix);

/// "B[4]: found 1, expected 4", for a matrix with this name and these extents; d.worst must be one of its
/// elements.
std::string print(const Difference &d, const std::string &name, const matrix::Extents &);

} // namespace pb::program
