// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The functions of a library as C sees them, from which its header and its tables are made.
//
//   // Sorts.
//   transform Sort from A[n] to B[n] param cut ...
//   =>  {name "Sort", symbol "pbc_mm_Sort", doc "Sorts.", inputs and outputs [A, B], sizes [cut]}
//
// Parameters are in this order: the context, inputs, sizes that the call must give, the accuracy if there are several
// targets, outputs, among them what is updated. No two functions have one symbol, and no parameter has the name of a word of C or C++.
#pragma once
#include "compiler/emit/emit.h"

namespace pbc::emit {

struct CArgument {
  const sema::Matrix *matrix;
  std::string name;
  bool isOutput() const { return matrix->role == sema::Role::Output; }
  bool isUpdated() const { return matrix->before.has_value(); } // an output that is an input, too
  bool isNumber() const { return matrix->rank() == 0; }
};

struct CSize {
  std::string written, name; // as the program has it, and as C does
};

struct CFunction {
  const sema::Transform *transform;
  std::string symbol, doc;
  std::vector<CArgument> arguments; // inputs, then outputs
  std::vector<CSize> sizes;
  std::string accuracy; // the parameter's name; "" without targets
  int first = 0;        // its first accuracy bin among the transforms of the program
};

std::vector<CFunction> cFunctions(const Input &, poly::Context &);

/// "double", "int32_t", ...: the type of elements in C.
const char *cType(sema::Element);
/// "PBC_F64", ...
const char *cElement(sema::Element);

/// Something in the order of the parameters, with a comma and a space between them:
/// "const pbc_array *A, double x, int64_t cut, double accuracy, pbc_array *B".
std::string cParameters(const CFunction &);

/// The comment in front of a function: the transform's own, and what goes in and out.
std::string cComment(const CFunction &);

/// The name, with an underscore behind it if it is a word of C or C++.
std::string cxxName(const std::string &);

} // namespace pbc::emit
