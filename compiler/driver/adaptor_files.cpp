// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/adaptor_files.h"
#include "compiler/compose/rules.h"
#include "compiler/driver/problems.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/transform/transformation.h"
#include "compiler/source/load.h"
#include "compiler/syntax/nearest.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <variant>

namespace pbc::driver {
namespace {

/// Whether the step has a number that only a use of the adaptor says.
bool isOpen(const script::Step &step, const script::Adaptor &adaptor) {
  const auto isNumber = [&](const script::Value &value) {
    const auto *name = std::get_if<script::Name>(&value.what);
    return name && std::find(adaptor.parameters.begin() + 1, adaptor.parameters.end(), name->text) !=
                       adaptor.parameters.end();
  };
  return std::any_of(step.operands.begin(), step.operands.end(), isNumber) ||
         std::any_of(step.values.begin(), step.values.end(), isNumber) ||
         std::any_of(step.named.begin(), step.named.end(),
                     [&](const script::NamedValue &named) { return isNumber(named.value); });
}

/// Why the step is in no script; nothing if it may be, or if it uses an adaptor.
std::optional<kernel::StepProblem> whyInNoScript(const script::Step &step, const script::Adaptor &adaptor,
                                                 const std::vector<script::Adaptor> &all) {
  if (const kernel::Transformation *t = kernel::findTransformation(step.transformation))
    return isOpen(step, adaptor) ? std::nullopt : kernel::whyNever(*t, script::resolved(step));
  if (compose::findAdaptor(all, step.transformation))
    return std::nullopt;
  std::vector<std::string_view> names;
  for (const kernel::Transformation &t : kernel::transformations())
    names.push_back(t.name);
  const std::string near = syntax::nearest(step.transformation, names);
  return kernel::StepProblem{fmt::format("no transformation is called `{}`", step.transformation),
                             fmt::format("{}`pbc opt --list` lists the transformations",
                                         near.empty() ? "" : fmt::format("did you mean `{}`? ", near)),
                             step.nameSpan};
}

/// Whether each step may be in a script.
bool hasKnownSteps(const script::Adaptor &adaptor, const std::vector<script::Adaptor> &all,
                   source::Diagnostics &diagnostics) {
  bool isGood = true;
  for (const script::AdaptorRule &rule : adaptor.rules)
    for (const script::Step &step : rule.steps)
      if (const std::optional<kernel::StepProblem> problem = whyInNoScript(step, adaptor, all)) {
        isGood = false;
        auto &error = diagnostics.error(problem->span, fmt::format("the step `{}` is in no script: {}",
                                                                   script::text(step), problem->what));
        if (!problem->help.empty())
          error.help(problem->help);
      }
  return isGood;
}

/// Those that this one uses, directly or not, and itself.
void addUsed(std::set<std::string> &used, const script::Adaptor &adaptor,
             const std::vector<script::Adaptor> &all) {
  if (!used.insert(adaptor.name).second)
    return;
  for (const script::AdaptorRule &rule : adaptor.rules)
    for (const script::Step &step : rule.steps)
      if (const script::Adaptor *other = compose::findAdaptor(all, step.transformation))
        addUsed(used, *other, all);
}

/// Those that stand for rules. Each error is reported once, though many adaptors may use the one that has it.
std::vector<script::Adaptor> withRules(const std::vector<script::Adaptor> &all,
                                       source::Diagnostics &diagnostics) {
  std::vector<script::Adaptor> good;
  std::set<std::string> reported;
  for (const script::Adaptor &adaptor : all) {
    std::set<std::string> used;
    addUsed(used, adaptor, all);
    if (std::any_of(used.begin(), used.end(), [&](const auto &name) { return reported.contains(name); }))
      continue;
    script::Adaptation use{adaptor.name, {}, adaptor.nameSpan};
    for (const std::string &parameter : adaptor.parameters)
      use.arguments.push_back(script::name(parameter));
    if (compose::rulesOf(all, use, diagnostics))
      good.push_back(adaptor);
    else
      reported.merge(used);
  }
  return good;
}

/// Whether the adaptors of a file can be told apart, from each other and from transformations, and their parameters as well. What has the
/// name of an adaptor in another file takes its place.
bool hasOwnNames(const std::vector<script::Adaptor> &ofFile, source::Diagnostics &diagnostics) {
  bool isGood = true;
  for (auto adaptor = ofFile.begin(); adaptor != ofFile.end(); ++adaptor) {
    const auto first = std::find_if(
        ofFile.begin(), adaptor, [&](const script::Adaptor &other) { return other.name == adaptor->name; });
    if (first != adaptor) {
      isGood = false;
      diagnostics.error(adaptor->nameSpan, fmt::format("the adaptor `{}` is declared twice", adaptor->name))
          .note(first->nameSpan, "the other one is here")
          .help("further rules of an adaptor stand behind further bars: `adaptor A(X): | ...; | ...;`");
    }
    if (kernel::findTransformation(adaptor->name)) {
      isGood = false;
      diagnostics
          .error(adaptor->nameSpan,
                 fmt::format("`{}` is a transformation, which steps with that name would be", adaptor->name))
          .help("give the adaptor another name");
    }
    for (auto p = adaptor->parameters.begin(); p != adaptor->parameters.end(); ++p)
      if (std::find(adaptor->parameters.begin(), p, *p) != p) {
        isGood = false;
        diagnostics
            .error(adaptor->nameSpan,
                   fmt::format("the adaptor `{}` has two parameters `{}`", adaptor->name, *p))
            .help("the first one is its matrix, the others are numbers; each has a name of its own");
      }
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
  bool areTold = true;
  for (const source::FileId file : files) {
    std::vector<script::Adaptor> ofFile = syntax::parseAdaptors(file, diagnostics);
    areTold &= hasOwnNames(ofFile, diagnostics);
    for (script::Adaptor &adaptor : ofFile) {
      std::erase_if(all, [&](const script::Adaptor &other) { return other.name == adaptor.name; });
      all.push_back(std::move(adaptor));
    }
  }
  if (!areTold)
    return {};
  std::vector<script::Adaptor> known;
  for (const script::Adaptor &adaptor : all)
    if (hasKnownSteps(adaptor, all, diagnostics))
      known.push_back(adaptor);
  return known.size() == all.size() ? withRules(all, diagnostics) : known;
}

} // namespace pbc::driver
