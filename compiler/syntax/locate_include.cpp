// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/locate_include.h"
#include "compiler/source/load.h"
#include <algorithm>
#include <filesystem>

namespace pbc::syntax {

namespace fs = std::filesystem;

Included IncludeFinder::find(const std::string &name, source::FileId includer) {
  const fs::path wanted(name);
  if (wanted.is_absolute())
    return firstOf({name});
  std::vector<std::string> paths = {
      (fs::path(sources_.path(includer)).parent_path() / wanted).lexically_normal().string()};
  for (const std::string &folder : path_)
    paths.push_back((fs::path(folder) / wanted).lexically_normal().string());
  return firstOf(std::move(paths));
}

Included IncludeFinder::findStandard(const std::string &name) {
  const std::vector<std::string> names = standardNames(); // and nothing else: no `..`
  if (std::find(names.begin(), names.end(), name) == names.end())
    return {};
  return firstOf({(fs::path(standard_) / name).string()});
}

std::vector<std::string> IncludeFinder::standardNames() const {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(standard_, failed))
    if (entry.path().extension() == ".pbcc")
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Included IncludeFinder::firstOf(std::vector<std::string> paths) {
  Included found{{}, std::move(paths), {}};
  for (const std::string &path : found.tried) {
    // Text in memory counts as a file of its name; a file that has been read already is not read again.
    for (source::FileId id = 0; id < sources_.fileCount() && !found.file; ++id)
      if (sources_.path(id) == path)
        found.file = id;
    std::error_code failed;
    if (!found.file && fs::is_regular_file(path, failed)) {
      std::string why;
      found.file = source::load(sources_, path, &why);
      if (!found.file)
        found.reasons.push_back(path + ": " + why);
    } else if (!found.file && fs::exists(path, failed)) {
      found.reasons.push_back(
          path + (fs::is_directory(path, failed) ? ": it is a folder" : ": it is no regular file"));
    }
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
