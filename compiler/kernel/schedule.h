// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the loops of a Kernel run: one isl schedule tree, whose bands and marks say how each loop is realised
// (realisation.h), and the cut into tasks.
//
//   kernel Smooth.0 as above  =>  task i in [1, n - 1) by 256
//                                 mark vector: band i: alloc s: sequence S0 ; mark unroll: band k: S1 ; S2
//
// Transformations (one file each) take a Scheduled and return a new one, or one sentence that says why they do not
// apply; legality follows from the kernel's dependences (legal.h) and is never assumed.
//
// Invariants (verify.h): the tree's domain is the union of the statements' domains; every dependence is
// lexicographically positive under the tree.
#pragma once
#include "compiler/kernel/kernel.h"
#include "compiler/kernel/time_steps.h"

namespace pbc::kernel {

/// The size of a block in registers, and of the panels of its operands in caches. 0:
/// runtime/abi/register_tile.h decides, by the processor at hand.
struct RegisterShape {
  int rows = 0, vectors = 0;
  long depth = 0, columns = 0; // steps of k and columns of x that are copied into panels together
};

/// What is known of the block of points for the mark "registers" (register_tile.h).
struct RegisterTile {
  /// A read in a loop over k that moves with k and with only one of x and y, so that a block reads a strip.
  struct Panel {
    int statement, access;
    bool alongX;
    bool isKept = false; // it reads at step y + behind of its loop what row y has written
  };
  int x, y;        // free variables
  Scalar element;  // the type of everything that is computed
  int scalars = 0; // Locals whose values are kept through the loops
  /// The body consists of statements and loops over statements, one level deep; the members below are only
  /// for such bodies.
  bool isDeep = false;
  bool moves = false; // some of these loops have other bounds in other rows
  std::vector<Panel> panels;
  /// Steps of a loop over k, as functions of the parameters, half open.
  struct Steps {
    isl::pw_aff begin, end;
  };
  /// The loop over k may be cut, and the Locals kept between its parts: there is one, or two that go through `joined` one after the other.
  bool resumes = false;
  /// The steps of two loops together, if these are the same for all points.
  std::optional<Steps> joined;
  bool isBackward = false; // the loop over y runs over -y
  /// If set, rows wait for earlier ones: step k of a row's loop may run once the iterations of the loop over y before k - behind are
  /// done. A function of the parameters.
  std::optional<isl::pw_aff> behind;
  RegisterShape shape = {};
};

/// How the parts of the task dimensions may follow each other.
enum class TaskOrder {
  Any,
  Wavefront, // a part after those that precede it by one in some dimension
  Rounds,    // values of dimension 0 one after the other, parts of the others in any order
};

/// A function of the points along which tasks are cut (task_functions.h): the domains are restricted to points where its
/// value is in [low<k>, high<k>), which are extra parameters `low0`, `high0`, ... of the emitted function.
struct TaskDimension {
  std::string name;      // "x", "i + 2 k"
  isl::pw_aff low, high; // the whole range over the parameters, half open
  long grain = 1;        // parts begin at multiples of this from the range's low end
  // For a wavefront: whether the function moves among the cells that are written, or through time over the
  // same ones; and the dimension of time along which parts move by `slope` per step (time_functions.h).
  // What never decreases is this function plus `slope` times the time.
  bool isPlace = true;
  int along = -1, slope = 0;
  int down = 0; // for diamonds: `down` times the time minus this function never decreases, either
};

/// The machine that a schedule is for; of `Any`, nothing is known, as of a kernel in a file.
enum class Target { Any, Processor, Device };

struct Schedule {
  isl::schedule tree;
  Target target = Target::Any;
  // A simpler tree of the same statements, used if `tree` is too large to print; without it, that is `tree` without its realisations.
  // A step that changes statements or buffers leaves none (transform/run.cpp): it would compute something else.
  std::optional<isl::schedule> plain;
  std::vector<TaskDimension> taskDimensions; // set by splitIntoTasks; empty: one task
  TaskOrder taskOrder = TaskOrder::Any;
  long bytesPerPlace = 0; // for a wavefront through time: in all matrices, all slots of versions
  std::optional<RegisterTile> registerTile;
  std::optional<TimeSteps> steps; // with the marks `step`
};

/// A kernel together with its schedule.
struct Scheduled : Kernel {
  Schedule schedule;
};

/// The result of a transformation: the new value, or why it does not apply.
struct Outcome {
  std::optional<Scheduled> kernel;
  std::string why;
};

} // namespace pbc::kernel
