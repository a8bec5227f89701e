// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans that consist only of loops: tables that the runtime walks, because a coroutine for each transform
// would cost more compile time than all of its loops.
//
//   static const pb::LoopStep steps[] = {{&rows_box, &rows_kernel, {1, 1}, 0},
//                                        {&columns_box, ...}};
//   pb::runLoopsHere(&frame, steps, 2);               // on the calling thread
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

/// Makes the parts of the last dimension that is cut equally large, and not larger than before except for
/// rounding to the grain. If there are more parts than workers, their number becomes a multiple of the
/// workers: three parts of 350 and a rest would take two workers as long as four of 350. `grain[d]`: parts
/// begin at multiples of it.
void evenOut(Split &, const Box &, const long *grain, int workers);
/// Splits into equal parts of about `cells` cells, long along dimension 0 of the box (x, the innermost loop).
Split splitOf(const Box &box, long cells, const long *grain);
/// Splits into parts of about `cells` cells or more, square in dimensions 0 and 1, a few for each worker.
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

/// To be awaited: calls `function` for disjoint parts that cover `box`, as tasks; on the calling thread if
/// the box is not worth dividing. `context` must live until then.
inline BoxLoop forEachBox(const Box &box, const Split &split, BoxFunction function, const void *context) {
  return {box, split, function, context};
}

/// The head of every transform's frame; its matrices and sizes follow in the generated struct.
struct Frame {
  int depth = 0;         // of calls
  int bin = 0;           // accuracy bin
  int choice = 0;        // the alternative that the selector named
  long n = 1, split = 1; // the transform's size; cells per task
  long steps = 0;        // steps of time in a tile of a stencil; 0: chosen by the size of the cache
  /// Bytes of `through` matrices in a tile (through_tiles.h); 0: chosen by the size of the cache.
  long tileBytes = 0;
  /// Bytes of a matrix whose rows several loops take in turn (row_turns.h); 0: chosen by the size of the cache.
  long turnBytes = 0;
  const long *params = nullptr; // given on the command line; null in calls
  bool stays = false; // what it leaves on devices may stay there, because its caller only passes it on
  static void *operator new(decltype(sizeof(0)) bytes) { return pb_frame_allocate(bytes); }
  static void operator delete(void *frame, decltype(sizeof(0)) bytes) { pb_frame_free(frame, bytes); }
};

/// The tiles of a wavefront: about `cells` cells, square except that dimension 0 may be longer. There are at
/// least kWavefrontTiles tiles in each dimension that has so many values, so that tiles can run in parallel.
Split wavefrontTiles(const Box &box, long cells);
inline constexpr long kWavefrontTiles = 8;

/// Calls `function` for each tile of `box`, each after its predecessor in every dimension; tiles that do not
/// wait for each other run as tasks, without a barrier. `context` must live until the job is done.
Job wavefront(Box box, Split tile, BoxFunction function, const void *context);

/// A wavefront through time, which updates the same cells again and again: which dimensions of its box are
/// coordinates of cells, and how its tiles move over the cells. A tile has the places z with
///
///   low <= z + slope[d] t < high  at step t       in a dimension d with t = along[d] >= 0
///   low2 <= down t - z < high2                    also, instead of limits of t, if d is `diamond`
///
/// Every dependence leaves all these functions unchanged or increases them. Kernels get plain boxes.
struct TimeShape {
  long bytes; // of one place, in all matrices
  bool isPlace[5];
  int along[5]; // -1: tiles do not move in d; all dimensions in which they move name the same one
  long slope[5];
  int diamond = -1; // -1: tiles are parallelograms
  long down = 0;
};

/// Chooses the tiles: `cells` cells in long rows, for as many steps that what they touch fits in `cache`
/// bytes, or for `steps` steps if that is not 0; smaller where workers would otherwise wait for each other.
/// The sizes are those of the ranges above; both ranges of a diamond have the same size.
Split timeTiles(const Box &box, const TimeShape &shape, long cells, long steps, long cache, int workers);
/// Takes the first steps of `rest` as the next `band`: so many that few of its tiles are empty. A band is computed before the next one begins.
/// False if no steps are left.
bool takeBand(Box &rest, const TimeShape &shape, long cells, Box &band);
/// Calls `function` on the calling thread for the boxes that each tile consists of, time before place.
void runTimeTiles(const Box &box, const TimeShape &shape, const Split &tile, BoxFunction function,
                  const void *context);
/// Does the same in tasks, each tile after its predecessors.
Job timeWavefront(Box box, const TimeShape &shape, Split tile, BoxFunction function, const void *context);

/// How the parts of a loop may follow each other.
enum class LoopOrder : int {
  Any,
  Wavefront, // a part after those that precede it by one in some dimension
  Rounds,    // values of dimension 0 one after the other, parts of the other dimensions in any order
};

struct ThroughTiles;
struct RowTurns;
struct DeviceStep;
struct Selector; // program.h
struct LoopStep;

/// Other schedules of a step's loops, among which the configuration chooses by size (`cpu:wide`). One with a guard that does not hold
/// leaves the step as it is.
struct LoopVersions {
  const Selector *placement; // by Frame::bin: k from 1 to `count` stands for steps[k - 1]
  const LoopStep *steps;     // which have no versions themselves
  int count;
  const DeviceStep *guarded = nullptr; // what guards may read, which may be on a device; null: there are none
};

/// A kernel over the cells of a box. Kernels get the frame as their context.
struct LoopStep {
  void (*box)(const Frame *, Box *); // at the frame's sizes; null: one call, without a box
  BoxFunction kernel;
  long grain[5]; // parts begin at multiples of it
  int level;     // steps of one level do not read from each other; levels ascend
  LoopOrder order;
  bool copies = false;             // each part copies strips of what it reads, so parts are few and square
  const TimeShape *time = nullptr; // set for a wavefront through time
  const ThroughTiles *through = nullptr; // `kernel` computes a tile together with what it needs
  const DeviceStep *device = nullptr;    // what it touches, and its kernels for devices (device.h)
  const LoopVersions *versions = nullptr;
  /// A bit for each matrix of `device` that nothing has written before this step in its plan: what the step
  /// reads there it has written itself, so that nothing has to be brought to a device.
  unsigned long made = 0;
  bool (*when)(const Frame *) = nullptr; // of a version: its guard (guards.h); null: it may always run
  const RowTurns *turns = nullptr;       // with the steps behind it in the table
};

struct LoopPlan {
  void (*allocate)(Frame *); // allocates its `through` matrices; null if it has none
  const LoopStep *steps;
  int count;
  const LoopPlan *inTiles = nullptr; // the same plan with fewer matrices that exist as a whole
};

/// A transform all of whose plans are loops.
struct LoopTransform {
  void (*enter)(Frame *);   // sizes, checks, selector, aliases
  void (*release)(Frame *); // deletes the frame
  const long *cutoff;       // by Frame::bin: below this size no tasks are made
  const LoopPlan *plans;    // by Frame::choice
  /// Touches all inputs and outputs; set in programs that have something for devices.
  const DeviceStep *whole = nullptr;
};

void runLoopsHere(const Frame *, const LoopStep *, int count);
/// The frame must live until the job is done.
Job runLoops(const Frame *, const LoopStep *, int count);
/// Runs the plan that the frame's choice names on the calling thread.
void runPlanHere(Frame *, const LoopPlan *plans);
/// Runs it in tasks.
Job runPlan(Frame *, const LoopPlan *plans);
/// Enters the transform and runs the plan that the selector names. Takes ownership of the frame, even if the
/// job is never started.
Job runTransform(Frame *, const LoopTransform *);

} // namespace pb
