#include "compiler/syntax/locate_include.h"
#include <filesystem>

namespace pbc::syntax {

namespace fs = std::filesystem;

Included IncludeFinder::find(const std::string &name, source::FileId includer) {
  Included found;
  fs::path wanted(name);
  if (wanted.is_absolute()) {
    found.tried.push_back(name);
  } else {
    found.tried.push_back(
        (fs::path(sources_.path(includer)).parent_path() / wanted).lexically_normal().string());
    for (const std::string &folder : path_)
      found.tried.push_back((fs::path(folder) / wanted).lexically_normal().string());
  }
  for (const std::string &path : found.tried) {
    // Text in memory counts as a file of its name; a file that is already here need not be read again.
    for (source::FileId id = 0; id < sources_.fileCount() && !found.file; ++id)
      if (sources_.path(id) == path)
        found.file = id;
    std::error_code failed;
    if (!found.file && fs::is_regular_file(path, failed))
      found.file = sources_.load(path);
    if (found.file)
      return found;
  }
  return found;
}

bool IncludeFinder::firstTime(source::FileId id) {
  std::error_code failed;
  fs::path whole = fs::weakly_canonical(sources_.path(id), failed);
  return read_.insert(failed ? sources_.path(id) : whole.string()).second;
}

} // namespace pbc::syntax
