// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the tuner knows of a program: the choices it offers, as data, and nothing of their meaning.
//
//   {"name":"sort","hash":"9f2c","main":"Sort","transforms":[{"name":"Sort","sites":[{"name":"Sort",
//     "alternatives":[{"name":"MergeSort"},{"name":"InsertionSort"}]}],"tunables":[...]}]}      (PROG --info)
//   -> ProgramSpace { sites: [Sort/Sort: MergeSort, InsertionSort], tunables: [...] }
//
// Invariant: every site has at least one alternative, the first is the default; every tunable has
// minimum <= initial <= maximum. The number of threads is the last of them and belongs to no transform; its
// maximum are the processors of this machine. The transform that only makes inputs (the generator) is left
// out: how long it takes is no part of a measurement. Source: ASPLOS'13 section 7.1; the JSON is
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

/// Something that the user can put right; the text says what is wrong and how.
class TunerError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Alternative {
  std::string name;
  std::string doc;
};

/// A site, and those of its alternatives that are meant.
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
  bool isFixed = false;                  // decided already
  std::vector<Condition> reachedBy{};    // its transform runs only where one of these is chosen; none: always

  bool isOpen() const { return !isFixed && alternatives.size() > 1; }

  /// "Sort", or "Sort.site" where a transform has more than one.
  std::string title() const { return name == transform ? name : transform + "." + name; }
};

/// The product of these tunables is at most `most`.
struct Constraint {
  std::string doc;
  std::vector<int> tunables;
  double most = 0;
};

/// One number. A tunable of the program that has several, an array or one for each power of two of the size,
/// is as many of these, side by side, elements of one size together.
struct Tunable {
  std::string transform;
  std::string name;
  std::string doc;
  bool integer = true;
  bool logarithmic = false; // a size-like value, mutated by factors
  double initial = 0, minimum = 0, maximum = 0;
  int sizeBin = -1;              // for sizes from 2^sizeBin on, up to the double of that; -1: for all sizes
  int element = -1;              // of an array; -1: it is none
  bool forAccuracy = false;      // it decides how exact the result is
  bool isFixed = false;          // decided already, or the user's alone
  long opensAt = 0;              // a search at sizes below this leaves it as it is
  std::vector<Condition> when{}; // it counts only where one of these is chosen; none: always
  std::vector<Condition> reachedBy{}; // and its transform runs only where one of these is; none: always
  std::optional<double> byDefault{};  // what the program has, where a search starts from something else

  bool isOpen() const { return !isFixed && minimum < maximum; }
  /// How many threads the program has: of all its transforms together.
  bool isThreads() const { return transform.empty(); }
  /// Whether a call of size n or less can see it; whether one of size n does.
  bool isSeenUpTo(long n) const { return sizeBin <= 0 || (1L << sizeBin) <= n; }
  bool isSeenAt(long n) const { return isSeenUpTo(n) && (sizeBin < 0 || (2L << sizeBin) > n); }
  /// The same tunable of the program, and the same element of it.
  bool isSameAs(const Tunable &other) const {
    return transform == other.transform && name == other.name && element == other.element;
  }
  std::string title() const;
  /// Of its numbers for all sizes, where there are several.
  std::string titleOfAll() const;
  /// Without any configuration.
  double ownValue() const { return byDefault.value_or(initial); }
  /// The nearest value that the tunable can have.
  double clamp(double value) const;
};

struct Matrix {
  std::string name;
  std::string role;    // "input" or "output"
  std::string extents; // as written, "[w, h]"
};

/// What a transform of variable accuracy is asked for.
struct AccuracyGoal {
  double target = 0;
  bool largerIsBetter = true;
  bool isMetBy(double accuracy) const {
    return largerIsBetter ? accuracy >= target : accuracy <= target; // NaN meets nothing
  }
};

/// Size variables below that are constants of the problem, a kernel's width for one.
inline constexpr long kGrowing = 16;

struct ProgramSpace {
  std::string program;
  std::string hash;
  std::string compiler;
  std::string main;                // name of the transform that is run
  std::vector<Matrix> matrices;    // of the main transform
  std::vector<std::string> sizes;  // its size variables, params among them
  std::vector<std::string> params; // those of them that are values rather than extents
  std::vector<Site> sites;
  std::vector<Tunable> tunables;
  std::vector<Constraint> constraints;
  std::optional<AccuracyGoal> goal;              // of the main transform
  Machine machine;                               // that the program runs on; processor "": not said
  std::map<std::string, std::string> transforms; // hashes of the transforms' texts
  std::vector<std::string> bins; // all accuracy bins of the main transform, "Solve<0>", ...; or only main

  bool isParam(const std::string &size) const {
    return std::find(params.begin(), params.end(), size) != params.end();
  }

  /// What measured times belong to: `hash` says which configurations fit, and the same one may stand for
  /// another text of a rule's body.
  std::string journalKey() const;
  /// Whether the search may change a tunable while it tests calls of size n. With an accuracy target, values
  /// of the main transform for smaller sizes met it when those were tested, and would not be tested again.
  bool isOpenAt(const Tunable &, long n) const;
  /// The same for a site: only from about n on.
  bool isOpenFromOnly(const Site &site) const { return goal && site.transform == main; }

  /// How many decisions a configuration holds that could be made otherwise.
  int openDecisions() const;
};

/// So many threads in every configuration, here and in what is read later: not searched. 0: as many as at the
/// start.
void fixThreads(ProgramSpace &, int threads);
/// The number of threads is one for all sizes: the full one decides it. Small sizes are fastest with a single
/// thread, and what is best beside that is not what several threads need.
void decideThreadsAt(ProgramSpace &, long n);

/// Reads the JSON of PROG --info; `main`: another main transform than the program's own. Throws TunerError
/// when it does not describe a program.
ProgramSpace parseProgramSpace(const std::string &json, const std::string &main = "");

} // namespace pbc::tuner
