// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A rule's body as a function in the dialect of devices (runtime/device/dialect.h): what a work-item runs if
// the body could not be lifted into statements.
//
//   { int k = 0; while (k < n && a.cell(k) < v) ++k; return k; }
//   => PB_FUNCTION double R0_body(PB_AT_1 const double *a_1, long a_1_s0, int a_1_n0, double v_2, int n_4) {
//        int k_0 = 0;
//        while (k_0 < n_4 && a_1[(long)k_0 * a_1_s0] < v_2) ++k_0;
//        return (double)k_0;
//      }
//
// Invariant: it computes what the body computes, operation by operation, with explicit conversions. The
// emitter replaces PB_AT_<k> by the memory space in which the cells of binding k lie.
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

struct DeviceBody {
  /// The function's arguments, in this order; only those that the body uses.
  struct Argument {
    enum class Kind {
      Cell,       // index: binding; an input's value
      Place,      // index: binding; an output's cell as a pointer
      View,       // index: binding; a pointer to its first cell, strides, extents
      Coordinate, // index: of the rule's free variables
      Input,      // index: into Transform::matrices; the value of a 0-d input that is named without a binding
      Name        // name: a size, param, tunable or elementName(); isReal: a double, else an int
    };
    Kind kind;
    int index = -1;
    std::string name = {};
    bool isReal = false;
  };
  std::string text;     // tables, functions that it calls, the function itself
  std::string function; // its name; it returns the value of output 0 if the rule has a value
  bool returnsValue = false;
  std::vector<Argument> arguments;
  std::vector<bool> writesAll; // by output: every cell of the binding is written, whatever the data
  std::string obstacle;        // why there is no such function: one sentence
  Span obstacleSpan;
};

/// The name under which an element of an array tunable is passed; no name of a program can clash with it.
std::string elementName(const std::string &array, int element);

} // namespace pbc::body
