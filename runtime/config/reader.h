// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a configuration's table: finds what is wrong with each entry, and the changes to its slots.
//
//   Reader reader(program, "sort.cfg", &warnings);   reader.read(table, &threads);
//   reader.errors()  ->  {"sort.cfg:3:9: error: ..."};   reader.change()
//
// Invariant: nothing changes before change(), and what it does is legal whatever the errors were.
#pragma once
#include "runtime/abi/program.h"
#include "runtime/config/entry.h"
#include <functional>
#include <optional>
#include <toml++/toml.h>

namespace pb::config {

class Reader {
public:
  Reader(const Program &program, const std::string &where, std::vector<std::string> *warnings)
      : program_(program), where_(where), warnings_(warnings) {}

  /// `isFromElsewhere`: the file of another version is read nevertheless.
  void read(const toml::table &root, int *threads, bool isFromElsewhere);
  void change() const;
  const std::vector<std::string> &errors() const { return errors_; }
  const std::vector<Entry> &entries() const { return entries_; }
  /// Adds the entries that the text did not mention.
  void addMissing();

private:
  using Names = std::vector<std::string>;

  void begin(const std::string &transform, const std::string &key, const toml::source_region &at);
  /// Adds a problem of the entry that was begun last; it is an error of the whole text, too.
  void error(const toml::source_region &at, const std::string &text, EntryState = EntryState::Wrong);
  /// Adds a problem that is not an error of the whole text.
  void remark(const std::string &text, EntryState);
  void instead(const std::string &text);
  void unknown(const toml::key &key, const std::string &what, const Names &known);

  void expectName(const toml::node &node, const char *key, const char *expected, const char *what,
                  EntryState);
  void readOrigin(const toml::table &);
  void readThreads(const toml::node &node, int *threads);
  void readKernels(const toml::table &kernels);
  const Transform *find(const std::string &name) const;
  Names transformNames() const;
  void readTransform(const Transform &, const toml::node &, const toml::source_region &keyAt);

  // read_choice.cpp
  void readChoice(const Site &, const toml::node &);
  struct ReadLevel {
    int use = -1; // -1: none
    std::optional<long> below;
  };
  ReadLevel readLevel(const Site &, const toml::node &, bool last, long before);
  int readUse(const Site &, const toml::node &);
  void addLevels(const Site &, const std::vector<ReadLevel> &);

  // read_tunable.cpp
  void readTunable(const Transform &, const Tunable &, const toml::node &);
  void readLevels(const Transform &, const Tunable &, const toml::array &);
  void readElements(const Transform &, const Tunable &, const toml::node &, int from, int to);
  std::optional<double> readNumber(const Transform &, const Tunable &, const toml::node &);

  const Program &program_;
  const std::string &where_;
  std::vector<std::string> *warnings_;
  std::vector<std::string> errors_;
  std::vector<Entry> entries_;
  std::vector<std::function<void()>> changes_;
};

} // namespace pb::config
