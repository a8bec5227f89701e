// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop nests that programs of bench/patterns are compared with: the best that we could write by hand in plain C++.
//
//   {"jacobi2", {"m", "m", jacobi2}}     =>   by_hand jacobi2 1000 50 FOLDER
//
// A letter stands for a matrix: s a number, v a vector, m n x n, d the same, symmetric with a strong diagonal, c n x n x n,
// p 3 x n x n bytes, b n x n bytes. Matrices have x innermost. Each function may write its inputs: it gets copies of them.
#pragma once
#include <map>
#include <string>
#include <vector>

struct Operands {
  long n, steps;
  std::vector<std::vector<double>> in, out;
  std::vector<std::vector<unsigned char>> bytesIn, bytesOut;
};

struct Nest {
  std::string in, out; // letters
  void (*run)(Operands &);
};

using Nests = std::map<std::string, Nest>;

Nests stencils(); // sweeps through time, filters, images
Nests algebra();  // products of vectors and matrices
Nests factors();  // factorisations and solves
Nests programs(); // dynamic programs, statistics, reductions
