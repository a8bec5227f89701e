// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the tuner knows of a program: the choices that it offers, as data, without their meaning.
//
//   {"name":"sort","hash":"9f2c","main":"Sort","transforms":[{"name":"Sort","sites":[{"name":"Sort",
//     "alternatives":[{"name":"MergeSort"},{"name":"InsertionSort"}]}],"tunables":[...]}]}      (PROG --info)
//   -> ProgramSpace { sites: [Sort/Sort: MergeSort, InsertionSort], tunables: [...] }
//
// Invariant: every site has at least one alternative, the first is the default; every tunable has minimum <=
// initial <= maximum. The number of threads is the last tunable and belongs to no transform; its maximum is
// the number of processors of this machine. The transform that only makes inputs (the generator) is left out,
// because its time is not part of a measurement. Source: ASPLOS'13 section 7.1; the JSON is
// runtime/config/configuration.h's infoJson.
#pragma once
#include "tuner/space/machine.h"
#include "tuner/space/selector.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pbc::tuner {

/// An error that the user can correct; the text says what is wrong and how to mend it.
class TunerError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Alternative {
  std::string name;
  std::string doc;
};

/// A site, and a set of its alternatives.
struct Condition {
  int site = 0;
  std::vector<int> uses;

  bool operator==(const Condition &) const = default;
};

/// One place where the program chooses between alternatives by the size n of the call.
struct Site {
  std::string transform;
  std::string name;
  std::string doc;
  std::vector<Alternative> alternatives; // [0] is the default
  std::string key = "choice";            // its entry in the configuration's table of the transform
  Selector initial{};                    // what the search starts from
  bool isFixed = false;                  // not to be changed by the search
  /// Its transform runs only where one of these is chosen; none: it always runs.
  std::vector<Condition> reachedBy{};

  bool isOpen() const { return !isFixed && alternatives.size() > 1; }

  /// "Sort", or "Sort.site" where a transform has more than one.
  std::string title() const { return name == transform ? name : transform + "." + name; }
};

/// A limit on several tunables: their product is at most `most`.
struct Constraint {
  std::string doc;
  std::vector<int> tunables;
  double most = 0;
};

/// One number. A tunable of the program with several values (an array, or one for each power of two of the
/// size) becomes several of these, side by side, with the elements of one size together.
struct Tunable {
  std::string transform;
  std::string name;
  std::string doc;
  bool integer = true;
  bool logarithmic = false; // a size-like value, mutated by factors
  double initial = 0, minimum = 0, maximum = 0;
  int sizeBin = -1;              // for sizes from 2^sizeBin up to twice that; -1: for all sizes
  int element = -1;              // of an array; -1: not an array
  bool forAccuracy = false;      // it decides how exact the result is
  bool isFixed = false;          // not to be changed by the search, or only by the user
  long opensAt = 0;              // a search at sizes below this leaves it as it is
  std::vector<Condition> when{}; // it has an effect only where one of these is chosen; none: always
  /// Its transform runs only where one of these is chosen; none: it always runs.
  std::vector<Condition> reachedBy{};
  std::optional<double> byDefault{}; // the program's value, if a search starts from another one

  bool isOpen() const { return !isFixed && minimum < maximum; }
  /// Whether it is the number of threads, which all transforms of the program share.
  bool isThreads() const { return transform.empty(); }
  /// Whether a call of size n or less reads it; whether a call of size n does.
  bool isSeenUpTo(long n) const { return sizeBin <= 0 || (1L << sizeBin) <= n; }
  bool isSeenAt(long n) const { return isSeenUpTo(n) && (sizeBin < 0 || (2L << sizeBin) > n); }
  /// Whether it is the same tunable of the program, and the same element of it.
  bool isSameAs(const Tunable &other) const {
    return transform == other.transform && name == other.name && element == other.element;
  }
  std::string title() const;
  /// The title of the tunable as a whole, if it has numbers for several sizes.
  std::string titleOfAll() const;
  /// The value without any configuration.
  double ownValue() const { return byDefault.value_or(initial); }
  /// The nearest value that the tunable can have.
  double clamp(double value) const;
};

struct Matrix {
  std::string name;
  std::string role;    // "input" or "output"
  std::string extents; // as written, "[w, h]"
};

/// The accuracy target of a transform of variable accuracy.
struct AccuracyGoal {
  double target = 0;
  bool largerIsBetter = true;
  bool isMetBy(double accuracy) const {
    return largerIsBetter ? accuracy >= target : accuracy <= target; // no target is met by NaN
  }
};

/// Size variables below this value are constants of the problem, for example a kernel's width.
inline constexpr long kGrowing = 16;

struct ProgramSpace {
  std::string program;
  std::string hash;
  std::string compiler;
  std::string main;                // name of the transform that is run
  std::vector<Matrix> matrices;    // of the main transform
  std::vector<std::string> sizes;  // its size variables, params among them
  std::vector<std::string> params; // those of the sizes that are values rather than extents
  std::vector<Site> sites;
  std::vector<Tunable> tunables;
  std::vector<Constraint> constraints;
  std::optional<AccuracyGoal> goal; // of the main transform
  Machine machine;                  // the machine that the program runs on; processor "": not known
  std::map<std::string, std::string> transforms; // hashes of the transforms' texts
  /// All accuracy bins of the main transform, "Solve<0>", ...; without bins, only main.
  std::vector<std::string> bins;

  bool isParam(const std::string &size) const {
    return std::find(params.begin(), params.end(), size) != params.end();
  }

  /// The key of measured times. `hash` is not enough: it says which configurations fit, and stays the same if
  /// the text of a rule's body changes.
  std::string journalKey() const;
  /// Whether the search may change a tunable while it tests calls of size n. With an accuracy target, values
  /// of the main transform for smaller sizes met it when those were tested, and would not be tested again.
  bool isOpenAt(const Tunable &, long n) const;
  /// For sites: whether the search may change only what applies from about n on.
  bool isOpenFromOnly(const Site &site) const { return goal && site.transform == main; }

  /// The number of decisions of a configuration that the search can change.
  int openDecisions() const;
};

/// Sets the number of threads in every configuration, including those that are read later, and takes it out
/// of the search. 0: as many as initially.
void fixThreads(ProgramSpace &, int threads);
/// The number of threads is the same for all sizes, so the full size decides it. Small sizes are fastest with
/// a single thread, and the best choices beside that are not the best ones for several threads.
void decideThreadsAt(ProgramSpace &, long n);

/// Reads the JSON of PROG --info. `main`: the main transform, if not the program's own. Throws TunerError if
/// the text does not describe a program.
ProgramSpace parseProgramSpace(const std::string &json, const std::string &main = "");

} // namespace pbc::tuner
