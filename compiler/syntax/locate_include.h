// Which file an #include means.
//
//   in src/a.pbcc: #include "m.h"   =>   src/m.h, then <each folder of the include path>/m.h
//
// A file is read once for each compilation, under whatever names it is included.
#pragma once
#include "compiler/source/source.h"
#include <set>

namespace pbc::syntax {

struct Included {
  std::optional<source::FileId> file;
  std::vector<std::string> tried; // the places, in order
};

class IncludeFinder {
public:
  IncludeFinder(source::SourceManager &sources, const std::vector<std::string> &path)
      : sources_(sources), path_(path) {}

  Included find(const std::string &name, source::FileId includer);
  /// True at the first call for a file.
  bool firstTime(source::FileId);

private:
  source::SourceManager &sources_;
  const std::vector<std::string> &path_;
  std::set<std::string> read_;
};

} // namespace pbc::syntax
