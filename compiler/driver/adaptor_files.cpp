// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/adaptor_files.h"
#include "compiler/compose/rules.h"
#include "compiler/driver/problems.h"
#include "compiler/kernel/transform/transformation.h"
#include "compiler/source/load.h"
#include "compiler/syntax/nearest.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pbc::driver {
namespace {

/// Whether each step is of a transformation, or a use of one of the adaptors.
bool hasKnownSteps(const script::Adaptor &adaptor, const std::vector<script::Adaptor> &all,
                   source::Diagnostics &diagnostics) {
  bool isGood = true;
  for (const script::AdaptorRule &rule : adaptor.rules)
    for (const script::Step &step : rule.steps) {
      if (kernel::findTransformation(step.transformation) || compose::findAdaptor(all, step.transformation))
        continue;
      isGood = false;
      std::vector<std::string_view> names;
      for (const kernel::Transformation &t : kernel::transformations())
        names.push_back(t.name);
      const std::string near = syntax::nearest(step.transformation, names);
      diagnostics
          .error(step.nameSpan,
                 fmt::format("the step `{}` is in no script: {}", script::text(step),
                             fmt::format("no transformation is called `{}`", step.transformation)))
          .help(fmt::format("{}`pbc opt --list` lists the transformations",
                            near.empty() ? "" : fmt::format("did you mean `{}`? ", near)));
    }
  return isGood;
}

} // namespace

std::vector<std::string> standardAdaptors(const std::string &standardFolder) {
  std::vector<std::string> paths;
  std::error_code ignored; // without the folder, there are none
  for (const auto &entry : std::filesystem::directory_iterator(standardFolder + "/adaptors", ignored))
    if (entry.path().extension() == ".adl")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<source::FileId> loadAdaptors(source::SourceManager &sources,
                                         const std::vector<std::string> &paths,
                                         const std::string &standardFolder) {
  std::vector<std::string> all = standardAdaptors(standardFolder);
  all.insert(all.end(), paths.begin(), paths.end());
  std::vector<source::FileId> files;
  for (const std::string &path : all) {
    std::string why;
    const auto file = source::load(sources, path, &why);
    if (!file)
      throw Refusal(
          fmt::format("pbc: error: cannot read the adaptors {}: {}\nhelp: --adaptors=FILE names a file with "
                      "adaptors, such as `adaptor Wide(X): | layout(X; pad = 4);`\n",
                      path, why));
    files.push_back(*file);
  }
  return files;
}

std::vector<script::Adaptor> readAdaptors(const std::vector<source::FileId> &files,
                                          source::Diagnostics &diagnostics) {
  std::vector<script::Adaptor> all;
  for (const source::FileId file : files)
    for (script::Adaptor &adaptor : syntax::parseAdaptors(file, diagnostics)) {
      std::erase_if(all, [&](const script::Adaptor &other) { return other.name == adaptor.name; });
      all.push_back(std::move(adaptor));
    }
  std::vector<script::Adaptor> known;
  for (const script::Adaptor &adaptor : all)
    if (hasKnownSteps(adaptor, all, diagnostics))
      known.push_back(adaptor);
  return known;
}

} // namespace pbc::driver
