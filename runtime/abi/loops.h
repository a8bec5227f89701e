// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans that are loops only: tables that the runtime walks, because a coroutine of its own would cost each
// transform more compile time than all of its loops.
//
//   static const pb::LoopStep steps[] = {{&rows_box, &rows_kernel, {1, 1}, 0}, {&columns_box, ...}};
//   pb::runLoopsHere(&frame, steps, 2);               // on the spot
//   co_await pb::runLoops(&frame, steps, 2);          // in tasks
//   co_await pb::forEachBox({2, {0, 0}, {w, h}}, {{256, 16}}, kernel, &frame);   // one loop in tasks
//   return pb::runTransform(frame, &Blur_loops);      // everything after the arguments are in the frame
#pragma once
#include "task.h"

namespace pb {

/// The points low[d] <= i[d] < high[d], d < rank. A box of rank 0 has one point.
struct Box {
  int rank;
  long low[5], high[5];
};

bool isEmpty(const Box &);

/// A part is not divided in dimension d once its extent there is at most size[d]; parts begin at multiples of
/// size[d] from the box's low corner. size[d] <= 0: never divided in d.
struct Split {
  long size[5];
};

/// Makes the parts of the last dimension that has several of one size, not larger than they were but for the
/// grain, and as many for each worker if they are more than the workers: three parts of 350 and a rest would
/// take two workers as long as four of 350. `grain[d]`: parts begin at multiples of it.
void evenOut(Split &, const Box &, const long *grain, int workers);
/// Even parts of about `cells` cells, long along dimension 0 of the box (x, the innermost loop).
Split splitOf(const Box &box, long cells, const long *grain);
/// Parts of about `cells` cells or more, square in dimensions 0 and 1, a few for each worker.
Split squareSplitOf(const Box &box, long cells, const long *grain);

using BoxFunction = void (*)(const void *context, const long *low, const long *high);

/// The awaitable of forEachBox; lives in the caller's frame while its tasks run.
struct BoxLoop {
  Box box;
  Split split;
  BoxFunction function;
  const void *context;
  Job tasks = {};

  bool await_ready() const;
  [[gnu::always_inline]] Job::Handle await_suspend(std::coroutine_handle<> caller) {
    tasks = divide();
    return tasks.operator co_await().await_suspend(caller);
  }
  Job divide() const;
  [[gnu::always_inline]] void await_resume() const {
    if (tasks)
      tasks.operator co_await().await_resume();
  }
};

/// co_await it: calls `function` for disjoint parts that cover `box`, as tasks; on the spot if the box is not
/// worth dividing. `context` must live until then.
inline BoxLoop forEachBox(const Box &box, const Split &split, BoxFunction function, const void *context) {
  return {box, split, function, context};
}

/// The head of every transform's frame; its matrices and sizes follow in the generated struct.
struct Frame {
  int depth = 0;                // of calls
  int bin = 0;                  // of accuracy
  int choice = 0;               // the alternative that the selector named
  long n = 1, split = 1;        // the transform's size; cells per task
  long steps = 0;               // of time in a tile of a stencil; 0: as the cache suggests
  long tileBytes = 0;           // of `through` matrices in a tile (through_tiles.h); 0: as the cache suggests
  const long *params = nullptr; // given on the command line; null in calls
  bool stays = false;           // what it leaves on devices may stay there: its caller only passes it on
  static void *operator new(decltype(sizeof(0)) bytes) { return pb_frame_allocate(bytes); }
  static void operator delete(void *frame, decltype(sizeof(0)) bytes) { pb_frame_free(frame, bytes); }
};

/// The tiles of a wavefront: about `cells` cells, square but for dimension 0, which may be longer; at least
/// kWavefrontTiles in each dimension that has so many values, so that there is something to do side by side.
Split wavefrontTiles(const Box &box, long cells);
inline constexpr long kWavefrontTiles = 8;

/// Calls `function` for each tile of `box`, each after its predecessor in every dimension; tiles that do not
/// wait for each other run as tasks, without a barrier. `context` must live until the job is done.
Job wavefront(Box box, Split tile, BoxFunction function, const void *context);

/// A wavefront through time, over the same cells again and again: which dimensions of its box move among the
/// cells, and how its tiles move among them. A tile has the places z with
///
///   low <= z + slope[d] t < high  at step t                         in a dimension d with t = along[d] >= 0
///   low2 <= down t - z < high2    too, instead of limits of t       if d is `diamond`
///
/// Every dependence leaves all these functions as they are or increases them. Kernels get plain boxes.
struct TimeShape {
  long bytes; // of a place, in all matrices
  bool isPlace[5];
  int along[5]; // -1: tiles do not move in d; the same dimension for all that do
  long slope[5];
  int diamond = -1; // -1: tiles are parallelograms
  long down = 0;
};

/// Its tiles: `cells` cells in long rows, for as many steps as `cache` bytes hold what they touch, or for
/// `steps` if that is not 0; smaller where `workers` would wait for each other. Sizes are those of the ranges
/// above, the same for both of a diamond.
Split timeTiles(const Box &box, const TimeShape &shape, long cells, long steps, long cache, int workers);
/// Calls `function` for the boxes that each tile consists of, on the spot, time before place.
void runTimeTiles(const Box &box, const TimeShape &shape, const Split &tile, BoxFunction function,
                  const void *context);
/// The same in tasks, each tile after its predecessors.
Job timeWavefront(Box box, const TimeShape &shape, Split tile, BoxFunction function, const void *context);

/// How the parts of a loop may follow each other.
enum class LoopOrder : int {
  Any,
  Wavefront, // a part after those that precede it by one in some dimension
  Rounds,    // values of dimension 0 one after the other, parts of the others in any order
};

struct ThroughTiles;
struct DeviceStep;

/// A kernel over the cells of a box. Kernels get the frame as their context.
struct LoopStep {
  void (*box)(const Frame *, Box *); // at the frame's sizes; null: one call, without a box
  BoxFunction kernel;
  long grain[5]; // parts begin at multiples of it
  int level;     // steps of one level do not read from each other; levels ascend
  LoopOrder order;
  bool copies = false;                   // each part copies strips of what it reads: parts are few and square
  const TimeShape *time = nullptr;       // of a wavefront through time
  const ThroughTiles *through = nullptr; // `kernel` computes a tile together with what it needs
  const DeviceStep *device = nullptr;    // what it touches, and its kernels for devices (device.h)
};

struct LoopPlan {
  void (*allocate)(Frame *); // its `through` matrices; null if it has none
  const LoopStep *steps;
  int count;
  const LoopPlan *inTiles = nullptr; // the same with fewer matrices that exist as a whole
};

/// A transform all of whose plans are loops.
struct LoopTransform {
  void (*enter)(Frame *);   // sizes, checks, selector, aliases
  void (*release)(Frame *); // deletes it
  const long *cutoff;       // by Frame::bin: below this size no tasks
  const LoopPlan *plans;    // by Frame::choice
  const DeviceStep *whole =
      nullptr; // touches all inputs and outputs; in programs that have something for devices
};

void runLoopsHere(const Frame *, const LoopStep *, int count);
/// The frame must live until the job is done.
Job runLoops(const Frame *, const LoopStep *, int count);
/// The plan that the frame's choice names, on the spot.
void runPlanHere(Frame *, const LoopPlan *plans);
/// The same in tasks.
Job runPlan(Frame *, const LoopPlan *plans);
/// Enters, and runs the plan that the selector names. Takes the frame, also when the job is never started.
Job runTransform(Frame *, const LoopTransform *);

} // namespace pb
