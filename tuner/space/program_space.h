// What the tuner knows of a program: the choices it offers, as data, and nothing of their meaning.
//
//   {"name":"sort","hash":"9f2c","main":"Sort","transforms":[{"name":"Sort","sites":[{"name":"Sort",
//     "alternatives":[{"name":"MergeSort"},{"name":"InsertionSort"}]}],"tunables":[...]}]}      (PROG --info)
//   -> ProgramSpace { sites: [Sort/Sort: MergeSort, InsertionSort], tunables: [...] }
//
// Invariant: every site has at least one alternative, the first is the default; every tunable has
// minimum <= initial <= maximum. The transform that only makes inputs (the generator) is left out: how long
// it takes is no part of a measurement. Source: ASPLOS'13 section 7.1; the JSON is
// runtime/config/configuration.h's infoJson.
#pragma once
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

/// One place where the program chooses between alternatives by the size n of the call.
struct Site {
  std::string transform;
  std::string name;
  std::string doc;
  std::vector<Alternative> alternatives; // [0] is the default
  std::string key = "choice";            // its entry in the configuration's table of the transform

  /// "Sort", or "Sort.site" where a transform has more than one.
  std::string title() const { return name == transform ? name : transform + "." + name; }
};

struct Tunable {
  std::string transform;
  std::string name;
  std::string doc;
  bool integer = true;
  bool logarithmic = false; // a size-like value, mutated by factors
  double initial = 0, minimum = 0, maximum = 0;

  std::string title() const { return transform + "." + name; }
  /// The nearest value that the tunable can have.
  double clamp(double value) const;
};

struct Matrix {
  std::string name;
  std::string role;    // "input" or "output"
  std::string extents; // as written, "[w, h]"
};

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

  /// How many decisions a configuration holds that could be made otherwise.
  int openDecisions() const;
};

/// Reads the JSON of PROG --info. Throws TunerError when it does not describe a program.
ProgramSpace parseProgramSpace(const std::string &json);

} // namespace pbc::tuner
