// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the file of an #include.
//
//   in src/a.pbcc: #include "m.h"     =>   src/m.h, then <each folder of the include path>/m.h
//                  #include <m.pbcc>  =>   m.pbcc of the standard library
//
// A file is read once for each compilation, whatever names are used to include it.
#pragma once
#include "compiler/source/source.h"
#include <set>

namespace pbc::syntax {

struct Included {
  std::optional<source::FileId> file;
  std::vector<std::string> tried;   // the places, in order
  std::vector<std::string> reasons; // why one that is there was not taken: "a.pbcc: it is larger than 64 MiB"
};

class IncludeFinder {
public:
  /// `standard`: the folder of the standard library; empty if there is none.
  IncludeFinder(source::SourceManager &sources, const std::vector<std::string> &path, std::string standard)
      : sources_(sources), path_(path), standard_(std::move(standard)) {}

  Included find(const std::string &name, source::FileId includer);
  Included findStandard(const std::string &name);
  /// The names of the standard library's files, sorted.
  std::vector<std::string> standardNames() const;
  /// True at the first call for a file.
  bool firstTime(source::FileId);

private:
  Included firstOf(std::vector<std::string> paths);
  source::SourceManager &sources_;
  const std::vector<std::string> &path_;
  const std::string standard_;
  std::set<std::string> read_;
};

} // namespace pbc::syntax
