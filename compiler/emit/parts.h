// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The parts of a transform's translation unit, one file each: bodies.cpp (rules' bodies as functions),
// entry.cpp (frame, sizes, aliasing, selector), plans.cpp (alternatives), loops.cpp (bodies that call
// transforms, point by point), descriptor.cpp (tables for the runtime), copies.cpp (which copy of a template
// a call means), accuracy.cpp (verify_accuracy), local_matrix.cpp (`using`).
#pragma once
#include "compiler/body/unit.h"
#include "compiler/emit/emit.h"
#include "compiler/emit/kernel_functions.h"
#include <fmt/format.h>
#include <map>

namespace pbc::emit {

/// What the parts share about the transform that is being printed.
struct Scope {
  const Input &input;
  const sema::Transform &transform;
  poly::Context &context;
  /// Parameters of rule bodies as body::makeUnit declares them, by rule.
  std::vector<body::RuleText> ruleTexts;
  /// By output and input: the alternatives (the first 64, as bits) for which both may be the very same view
  /// (shared_memory.h).
  std::map<std::pair<int, int>, unsigned long> sameViews = {};
  std::shared_ptr<KernelFunctions> kernels = {}; // of all plans
  /// By transform: whether its code stands in the units of its callers too (in_callers.h).
  std::shared_ptr<const std::vector<bool>> inCallers = {};

  const std::vector<body::Facts> &facts() const { return input.facts[transform.index]; }
  const choice::Choices &choices() const { return input.choices[transform.index]; }
  std::string frame() const { return transform.symbol + "_Frame"; }
};

std::string regionType(sema::Element, int rank, bool isConst);
/// The comment after a tunable's declaration, or alone on the line before it; otherwise "tunable of Sort".
std::string tunableDoc(const Input &, const sema::Tunable &, const sema::Transform &);
/// Which units may name a slot.
enum class SlotIn { OwnUnit, AllUnits };
/// The definition of values that a configuration sets (runtime/abi/slots.h); tables name their addresses as `NAME.own`.
std::string slot(const Scope &, const std::string &type, const std::string &name, std::size_t count,
                 SlotIn = SlotIn::OwnUnit);
/// How many values a tunable has in each accuracy bin; and where in its slot the values for `bin` and the
/// size `pb_n` begin.
int valueCount(const sema::Tunable &);
std::string valuePosition(const sema::Tunable &, const std::string &bin);
/// "const long n = f.v_n; ..." for all parameters of index expressions.
std::string parameterDefinitions(const Scope &);
/// "rule `inside` of `Smooth`", for messages: the names as written, which copies share.
std::string ruleName(const Scope &, const sema::Rule &);
/// "smooth.pbcc:7: ", or nothing if the sources are unknown.
std::string placeOf(const Scope &, source::Span);
/// Name of a rule's body as a function, and as a coroutine.
std::string bodyName(int rule);
std::string coroutineName(int rule);
/// "double &b" or "pb::Region<const double, 1> a": the declaration of a matrix parameter of a transform.
/// Matrices are in calling order: outputs, then inputs. One that is updated is passed as an output only.
std::vector<int> callingOrder(const sema::Transform &);
std::string parameterList(const sema::Transform &, bool byValue);
std::string declarations(const sema::Transform &);
/// The functions that choose a copy by a call's arguments; "" for a transform without copies.
std::string copyDispatch(const std::vector<const sema::Transform *> &family);

/// Computes Scope::sameViews.
std::map<std::pair<int, int>, unsigned long> sameViews(const Scope &);
/// Whether some plan uses tiles through time: the transform then has the tunable `tile_steps`.
bool goesThroughTime(const Scope &);
/// Whether some plan has groups that run in tiles: the transform then has the tunable `tile_bytes`.
bool hasThroughTiles(const Scope &);
/// Whether some plan has steps that take rows in turn: the transform then has the tunable `turn_bytes`.
bool hasRowTurns(const Scope &);

/// Whether that alternative may run with an output that is the very same view as an input.
bool mayShareViews(const Scope &, std::size_t alternative);

/// Names of all sizes, from the extents of the matrices in the frame `pb_f`, which keeps them; and `pb_n`, the largest of them.
std::string sizeDefinitions(const Scope &);
/// Stores the arguments in a new frame `pb_f`; `borrows`: without a count of their users, because the caller keeps them.
std::string fillFrame(const Scope &, bool borrows);
std::string bodies(const Scope &);
/// The definition of a matrix of the rule's own (`using`) in its body. Where the rule's points and sizes do not
/// rule out a negative size, it ends the program with a message:
///   "a.pbcc:3: rule `Mid` of `T`: the matrix t[i - 3] would have a negative size: i - 3 is -3 for i = 0".
std::string localMatrix(const Scope &, const sema::Rule &, const sema::Local &);
/// The function that `verify_accuracy` calls; "" if no body does.
std::string verifyFunction(const Scope &);
/// What a transform's own unit contains behind its beginning and in front of its descriptor.
std::string entry(const Scope &);
/// The text in front of the functions of a further unit of kernels.
std::string frameStruct(const Scope &);
/// The plans' functions and tables. `loopsOnly`: the table `pb_plans` holds all of them. Otherwise
/// pb_run(frame) runs a plan on the calling thread, and `tasks` are the statements of a coroutine that runs
/// it in tasks.
struct PlanTexts {
  std::string functions, tasks;
  bool loopsOnly = false;
  std::string whole = {}; // table of all inputs and outputs for devices (devices.h), or ""
};
PlanTexts plans(const Scope &);
/// The name of the entries that run a plan; the entries of a memoized transform call them.
std::string plainSymbol(const sema::Transform &);
/// The entries of a memoized transform.
std::string memoEntries(const Scope &);
/// Statements that run the body of a call step at each point; `parallel`: inside a coroutine.
std::string pointLoops(const Scope &, const schedule::Step &, bool parallel);
std::string descriptor(const Scope &);
/// Size variables that neither inputs nor params give, in the order of the transform's.
std::vector<std::string> openSizes(const Scope &);
/// Whether some chain of calls leads from the transform back to it: only then can recursion be endless.
bool reachesItself(const Input &, int transform);
/// Whether the transform, or one that it reaches, reaches itself.
bool mayRecurse(const Scope &);
/// The function that a call from outside of a library runs on the calling thread; `run` runs the plan of `pb_f`.
std::string entryOfLibrary(const Scope &, const std::string &run);
/// The comment in front of the transform, without what makes it a comment; "" if there is none.
std::string transformDoc(const Input &, const sema::Transform &);
/// The tables of transforms, and the main program or what stands for it in a library (library_unit.cpp).
std::string programUnit(const Input &, poly::Context &, const std::string &bakedConfiguration);
std::string libraryTables(const Input &, poly::Context &);

/// A #line for the user's text that follows, so that assertions and debuggers name its place.
std::string lineOf(const Input &, const source::MappedText &, std::uint32_t offset = 0);
/// A C++ string literal.
std::string quoted(const std::string &);

} // namespace pbc::emit
