// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A transformation of schedules: a record in a table, which scripts, policies and searches use alike.
//
//   findTransformation("tile")          its name, what it does, its parameters
//   bind(tile, step, scheduled)         the arguments of `tile(y, x; 32, 256)`, checked against the kernel
//   tile.apply(scheduled, arguments)    the new schedule, or one sentence that says why it does not apply
//
// Each transformation has a header with its purpose and an example and a source of its own in this folder, and one line
// in list.inc. Loops are named by their labels (loops.h). What the parameters say is checked once, by bind(); whether the
// kernel allows it is up to the transformation, which asks legal.h.
//
// Invariant: what a transformation accepts keeps every dependence and every value that the kernel computes; sums and
// products are reordered only where the kernel says so (Kernel::reassociates). What it refuses has a sentence.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/script/script.h"
#include "runtime/base/machine.h"
#include <map>
#include <string_view>

namespace pbc::kernel {

struct Parameter {
  enum class Kind {
    Loop,      // one label
    Loops,     // one or more labels
    Buffer,    // the name of a buffer
    Names,     // names that the transformation itself looks up
    Integer,   // from `least` to `most`, or one of `words`
    Integers,  // several of them
    Word,      // one of `words`
    Condition, // a comparison of sizes
  };
  std::string_view name;
  Kind kind;
  std::string_view doc;
  long least = 0, most = 0;
  std::vector<std::string_view> words = {};
  bool isOptional = false;
};

/// The arguments of one step, by the names of the parameters.
class Arguments {
public:
  /// A label, a buffer or a word; "" if it was not given.
  std::string name(std::string_view parameter) const;
  std::vector<std::string> names(std::string_view parameter) const;
  /// Nothing if it was not given, or if a word was given instead.
  std::optional<long> number(std::string_view parameter) const;
  std::vector<long> numbers(std::string_view parameter) const;
  const script::Comparison *condition(std::string_view parameter) const;
  bool has(std::string_view parameter) const { return values_.count(std::string(parameter)) > 0; }
  /// The labels that the step gives to the loops that it makes; empty: the transformation decides.
  const std::vector<std::string> &results() const { return results_; }

private:
  friend struct Binder;
  std::map<std::string, std::vector<script::Value>, std::less<>> values_;
  std::vector<std::string> results_;
};

using Machine = pb::base::Machine;

/// Where in a script a step belongs, which decides where a search inserts one: policies write them in this order.
enum class Stage {
  Loops,  // which loops there are, and in which order
  Tasks,  // the cut into tasks
  Cuts,   // tiles, copies, and cases
  Points, // how the innermost loops are realised
};

/// How an adaptor's step is mixed into a script (compiler/compose; optimisation-scripts 5).
struct Mixing {
  enum class Place {
    Ordered, // at any place, in the order of both scripts
    First,   // in front of all others
    Memory,  // says where a matrix lies: joined with what the script says of the same matrix
  };
  enum class Memory { Group, Registers };
  Place place = Place::Ordered;
  Memory memory = Memory::Group; // for Place::Memory
  std::string_view mode = {};    // the parameter that says in which order the copy is; "": there is only one
};

struct Transformation {
  std::string_view name;
  std::string_view doc; // one sentence
  std::vector<Parameter> parameters;
  Outcome (*apply)(const Scheduled &, const Arguments &);
  Stage stage = Stage::Cuts;
  Target target = Target::Any; // the machines whose schedules it is for
  Mixing mixing = {};
  /// Steps of this transformation that are worth trying here, the most promising ones first; null: none. Whether they
  /// apply, who takes one finds out by running it. A step says one thing: of two optional arguments, at most one.
  std::vector<script::Step> (*alternatives)(const Scheduled &, const Machine &) = nullptr;
};

/// All transformations, in the order of list.inc.
const std::vector<Transformation> &transformations();
/// Null if there is none of this name.
const Transformation *findTransformation(std::string_view name);
/// "tile(loops; sizes)": how a step of it is written.
std::string usage(const Transformation &);

/// What is wrong with a step, and where.
struct StepProblem {
  std::string what, help;
  source::Span span = {};
};

struct Bound {
  std::optional<Arguments> arguments;
  StepProblem problem; // if there are none
};

/// What is wrong with the step whatever the kernel: too many arguments, a number out of its range, a word that does not exist. The names
/// of loops and buffers are left aside.
std::optional<StepProblem> whyNever(const Transformation &, const script::Step &);

/// The step's arguments. They are of the kinds and in the ranges that the parameters say, and the loops and buffers exist.
Bound bind(const Transformation &, const script::Step &, const Scheduled &);

} // namespace pbc::kernel
