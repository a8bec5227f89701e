// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface between a generated program and the runtime: tables that describe the program, and functions.
//
// The compiler emits one `const pb::Program pb_program`. runtime/program reads it to parse the command line,
// load matrices, fill selectors and tunables from a configuration file, run, time, check and describe.
// Nothing here depends on libstdc++, because generated code includes this header.
//
//   Program { transforms: [ Transform { name "Sort", matrices [A in, B out], sites [Site "Sort"], ... } ] }
#pragma once
#include "region.h"
#include "slots.h"
#include "tunables.h"

namespace pb {

class Job; // task.h

enum class ElementKind : int { F64, F32, I32, I64, U8 };
enum class Role : int { Input, Output };

/// A selector: alternative use[i] for below[i-1] <= n < below[i] (petabricks-hetero 7.1). Slots live in the
/// generated program; the runtime fills them from the configuration before anything runs.
struct Selector {
  static constexpr int kMaxLevels = 12;
  int levels = 1;
  long below[kMaxLevels - 1] = {};
  int use[kMaxLevels] = {};
  int select(long n) const {
    for (int i = 0; i + 1 < levels; ++i)
      if (n < below[i])
        return use[i];
    return use[levels - 1];
  }
};

struct Alternative {
  const char *name; // stable: made from rule labels, never from a number that the compiler assigned
  const char *doc;  // one line: which rules compute what
  const char *const *calls = nullptr; // transforms that its rules call, ended by a null; null: none
};

/// One place where the program may choose. A placement decides where the loops of a step run, and by which schedule:
///
///   place_rows: cpu | cpu:wide | cpu:tall | gpu | gpu_local        versions 2, needsDevice
struct Site {
  // The transform's name, whose key in the configuration is "choice". For a placement, the key itself,
  // "place_STEP".
  const char *name;
  const char *doc;
  int alternativeCount;
  const Alternative *alternatives; // [0] is the default
  Selector *slot;
  bool needsDevice = false; // of a placement: the alternatives behind those of the processor need a device
  int versions = 0; // of a placement: alternatives 1 to `versions` are other schedules, also on the processor
  bool isPlacement() const { return needsDevice || versions; }
  bool isOnDevice(int alternative) const { return needsDevice && alternative > versions; }
};

/// A site of the same transform and a set of its alternatives: bit a stands for alternative a.
struct Condition {
  const char *site;
  unsigned long uses;
};

enum class TunableKind : int { Integer, Float };

struct Tunable {
  const char *name; // within its transform: "block"
  const char *doc;  // one line
  TunableKind kind;
  bool logarithmic; // a size-like value: mutated by factors
  double initial, minimum, maximum;
  long *integerSlot;        // where an Integer's values live
  double *floatSlot;        // where a Float's values live
  bool bySize = false;      // there are kSizeBins times as many values, one for each power of two of the size
  int length = 0;           // of an array; 0: one value
  bool isConfig = false;    // set by the user; a tuner leaves it alone
  bool forAccuracy = false; // it decides how exact the result is
  bool needsDevice = false; // it affects only steps on a device
  const Condition *when = nullptr; // it has an effect only where one of these holds
  int whenCount = 0;               // 0: it always has an effect
  int elements() const { return length ? length : 1; }
  int values() const { return elements() * (bySize ? kSizeBins : 1); }
};

/// A limit on several tunables of one transform together: their product is at most `most`.
struct Constraint {
  const char *doc;
  const char *const *tunables; // names
  int count;
  long most;
};

/// Whether larger or smaller values are more accurate; None: there is no target.
enum class Better : int { None, Larger, Smaller };

/// How an input of two dimensions is stored (sema::Structure of the compiler): cells that are not hold what `text` says, as far as
/// `isChecked` says anything of them.
struct MatrixStructure {
  const char *text; // as written, "lower_triangular, unit_diagonal"
  int half = 0;     // cells (x, y) are stored where x <= y: -1, where x >= y: 1, everywhere: 0
  bool isMirrored = false, isUnit = false, isChecked = true;
  /// The numbers of diagonals that are stored below and above the main one; null: all.
  void (*band)(const long *sizes, int bin, long *below, long *above) = nullptr;
};

struct MatrixInfo {
  const char *name;
  Role role;
  ElementKind element;
  int rank;
  const char *extents; // as written, "[w, h]", for messages
  const MatrixStructure *structure = nullptr;
  // Of an output that the transform updates in place: the number of the input with its values before the call, by the
  // same name. The transform finds these values in the output's cells, and does not look at the input's.
  int before = -1;
};

/// A message made by generated code. `text` is zero-terminated.
struct Message {
  char text[512];
};

/// A transform as the runtime sees it. Matrices are in declaration order, inputs before outputs. A transform
/// with accuracy bins has one entry for each bin, "Solve<0>", "Solve<1>", ..., with the same functions but
/// slots of its own.
struct Transform {
  const char *name;
  int matrixCount;
  const MatrixInfo *matrices;
  int sizeCount;
  const char *const *sizeNames; // free size variables
  int paramCount;
  // `param`s: extra command-line arguments; they are the first of the size names
  const char *const *paramNames;
  /// Solves the size variables from the extents of all inputs (extents[matrix][dimension], inputs first).
  /// `sizes` holds the params and openSizes on entry and all sizeCount values on return. False, with a message,
  /// if nothing fits.
  bool (*solveSizes)(const int (*extents)[AnyRegion::kMaxRank], long *sizes, int bin, Message *why);
  /// Extents of all matrices from the size variables. False, with a message, when one is negative.
  bool (*extents)(const long *sizes, int (*extents)[AnyRegion::kMaxRank], int bin, Message *why);
  /// Runs the transform on the scheduler of the current worker thread. `args`: all matrices in order; must
  /// outlive the job.
  Job (*start)(const AnyRegion *args, const long *params, int bin);
  int siteCount;
  const Site *sites;
  int tunableCount;
  const Tunable *tunables; // user tunables and sequential_cutoff, split_size, tiles
  const char *generator;   // name of the transform that makes inputs, or null
  int bin = 0;             // accuracy bin
  /// The transform that computes the accuracy from the outputs and the inputs, or null.
  const char *metric = nullptr;
  Better better = Better::None;
  double target = 0;             // the accuracy target, if there is one
  const char *feature = nullptr; // transform that computes a feature of the input, or null
  const char *hash = nullptr;    // of its text: a transform with another hash may need to be tuned again
  int constraintCount = 0;
  const Constraint *constraints = nullptr;
  const char *const *calls = nullptr; // transforms that any of its rules calls, ended by a null; null: none
  const char *const *openSizes = nullptr; // likewise: size variables that the inputs do not determine
  // Of a transform in a library:
  /// Runs the transform on the calling thread, without tasks. `args` and `params` as in `start`.
  void (*runHere)(const AnyRegion *args, const long *params, int bin) = nullptr;
  const long *cutoff = nullptr; // the slot of sequential_cutoff
  bool mayRecurse = false;      // it, or one that it reaches, can reach itself
};

struct Program {
  int abiVersion;       // kAbiVersion
  const char *name;     // source file's stem
  const char *hash;     // of everything that decides which configurations fit
  const char *compiler; // its name and version, as in `pbc --version`
  int transformCount;
  const Transform *const *transforms;
  int mainTransform;
  const char *bakedConfiguration; // TOML text given to pbc --config, or null
  const char *processor;          // the processor that its code is made for, as pbc --cpu names it
  const char *kernels = nullptr;  // what [kernels] said when it was compiled: lines of TOML, sorted
};

inline constexpr int kAbiVersion = 17;

extern "C" {
/// Prints "PROGRAM: error: text" and ends the program with status 1; in a library, throws base::Failure, as all
/// functions do that end a program. Generated code calls it for failed run-time checks.
[[noreturn]] void pb_fail(const char *text);
/// snprintf into a Message; returns false, so that `return pb_explain(why, ...)` reads well.
bool pb_explain(Message *why, const char *format, ...);
/// Checks that `found` meets the target; otherwise ends the program with a message. `bin`: below 0 if there
/// is only one.
void pb_verify_accuracy(const char *transform, int bin, double found, double target, Better better);
/// Called when the depth of a transform that can reach itself passes the limit: ends the program with a
/// message that names the transform and the size.
[[noreturn]] void pb_recursion_too_deep(const char *transform, long n);
/// The number of worker threads, at least 1.
int pb_threads();
/// Runs the program; the generated `main` calls nothing else. `versions`: the same program for one or several
/// processors, the least capable one first.
int pb_main(const Program *versions, int count, int argc, char **argv);
}

/// True if the byte ranges [a + aLow, a + aHigh) and [b + bLow, b + bHigh) share a byte. Regions are given by
/// their bounding ranges, so the answer is conservative; an empty range shares nothing.
bool pb_overlap_ranges(const void *a, long aLow, long aHigh, const void *b, long bLow, long bHigh);

} // namespace pb
