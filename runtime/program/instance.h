// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One call of a transform: its size variables and all its matrices.
//
//   Instance i = instanceFor(sort, {A}, {});     // sizes solved from the inputs, outputs allocated
//   i.sizes == {5};  i.matrices == {A, B}
//
// Invariants: matrices are in declaration order, inputs first, with exactly the extents that the sizes give;
// `sizes` begins with the params, which is what Transform::start takes.
#pragma once
#include "runtime/matrix/matrix.h"

namespace pb::program {

using matrix::Extents;
using matrix::Matrix;

struct Instance {
  const Transform *transform = nullptr;
  std::vector<long> sizes;
  std::vector<Matrix> matrices;
  std::vector<AnyRegion> regions() const;
  std::vector<Matrix> outputs() const;
};

int inputCount(const Transform &);

/// "A[w, h]"
std::string print(const MatrixInfo &);

/// Extents of all matrices. Throws base::UserError when these sizes are not possible.
std::vector<Extents> extentsFor(const Transform &, const std::vector<long> &sizes);

/// Whether no input determines the size variable.
bool isOpenSize(const Transform &, const std::string &name);

/// Solves all size variables from the inputs. `given` has the params, and perhaps values of all other size
/// variables, which count for those that no input determines (below 0: not given). Throws base::UserError, with
/// the inputs' extents, when they do not fit together.
std::vector<long> solveSizes(const Transform &, const std::vector<Matrix> &inputs,
                             const std::vector<long> &given);

/// Solves the sizes from the inputs, checks the extents, and allocates the outputs.
Instance instanceFor(const Transform &, std::vector<Matrix> inputs, const std::vector<long> &given);

/// The largest extent of any matrix: the `n` of a run.
long largestExtent(const Instance &);

} // namespace pb::program
