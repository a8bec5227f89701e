// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/schedule_files.h"
#include "compiler/driver/problems.h"
#include "compiler/sema/labels.h"
#include "compiler/source/load.h"
#include "compiler/syntax/nearest.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace pbc::driver {
namespace {

class Adder {
public:
  Adder(syntax::Program &program, const ScheduleFile &file, source::Diagnostics &diagnostics)
      : program_(program), file_(file), diagnostics_(diagnostics) {}

  void add(syntax::Schedule schedule) {
    schedule.isOptional = file_.beside.has_value();
    if (schedule.everyTransform)
      addToAll(std::move(schedule));
    else if (schedule.transform)
      addToOne(std::move(schedule));
    else
      diagnostics_
          .error(schedule.rules.front().span,
                 "in a file of schedules, a rule is named together with its transform")
          .help(fmt::format("write `for TRANSFORM.{0}`, or `for *.{0}` for all transforms that have it",
                            schedule.rules.front().text));
  }

private:
  void addToOne(syntax::Schedule schedule) {
    const syntax::Identifier wanted = *std::exchange(schedule.transform, std::nullopt);
    bool isFound = false;
    for (syntax::Transform &t : program_.transforms)
      if (t.name.text == wanted.text && !t.isForward)
        t.schedules.push_back(schedule), isFound = true;
    if (isFound)
      return;
    std::vector<std::string_view> names;
    for (const syntax::Transform &t : program_.transforms)
      names.push_back(t.name.text);
    auto &error =
        diagnostics_.error(wanted.span, fmt::format("the program has no transform `{}`", wanted.text));
    if (const std::string meant = syntax::nearest(wanted.text, names); !meant.empty())
      error.help(fmt::format("did you mean `{}`?", meant));
    error.help(fmt::format("its transforms are {}", fmt::join(names, ", ")));
  }

  void addToAll(syntax::Schedule schedule) {
    schedule.everyTransform.reset();
    schedule.isForAll = true;
    std::set<std::string> all; // labels
    std::vector<syntax::Transform *> wanted;
    for (syntax::Transform &t : program_.transforms) {
      if (t.isForward || (file_.beside && t.name.span.file != *file_.beside))
        continue;
      const std::set<std::string> labels = labelsOf(t);
      all.insert(labels.begin(), labels.end());
      if (std::all_of(schedule.rules.begin(), schedule.rules.end(),
                      [&](const syntax::Identifier &rule) { return labels.count(rule.text) > 0; }))
        wanted.push_back(&t);
    }
    for (syntax::Transform *t : wanted)
      t->schedules.push_back(schedule);
    if (!wanted.empty())
      return;
    for (const syntax::Identifier &rule : schedule.rules)
      if (!all.count(rule.text))
        return complainAboutRule(rule, all);
    diagnostics_.error(schedule.rules.front().span, "no transform has all of these rules");
  }

  void complainAboutRule(const syntax::Identifier &rule, const std::set<std::string> &all) {
    const std::vector<std::string_view> names(all.begin(), all.end());
    auto &error = diagnostics_.error(rule.span, fmt::format("no transform has a rule `{}`", rule.text));
    if (const std::string meant = syntax::nearest(rule.text, names); !meant.empty())
      error.help(fmt::format("did you mean `{}`?", meant));
    error.help(fmt::format("the rules are {}", fmt::join(all, ", ")));
  }

  std::set<std::string> labelsOf(const syntax::Transform &t) const {
    source::Diagnostics said(diagnostics_.sources()); // when the transform is checked
    const std::vector<std::string> labels = sema::labelsOf(t.name.text, t.rules, said);
    return {labels.begin(), labels.end()};
  }

  syntax::Program &program_;
  const ScheduleFile &file_;
  source::Diagnostics &diagnostics_;
};

} // namespace

std::vector<ScheduleFile> loadSchedules(source::SourceManager &sources, const std::vector<std::string> &paths,
                                        const std::string &standardFolder) {
  std::vector<ScheduleFile> all;
  const auto load = [&](const std::string &path, std::optional<source::FileId> beside) {
    std::string why;
    const auto file = source::load(sources, path, &why);
    if (!file)
      throw Refusal(
          fmt::format("pbc: error: cannot read the schedules {}: {}\nhelp: --schedule=FILE names a file with "
                      "schedules, such as `schedule wide for Blur.rows {{ vector(x); }}`\n",
                      path, why));
    all.push_back({*file, beside});
  };
  for (const std::string &path : paths)
    load(path, std::nullopt);
  const std::size_t files = sources.fileCount();
  for (source::FileId file = 0; !standardFolder.empty() && file < files; ++file) {
    const std::filesystem::path read = sources.path(file);
    if (read.parent_path() != std::filesystem::path(standardFolder) || read.extension() != ".pbcc")
      continue;
    const std::filesystem::path schedules =
        std::filesystem::path(standardFolder) / "schedules" / read.stem().replace_extension(".sched");
    if (std::error_code none; std::filesystem::exists(schedules, none))
      load(schedules.string(), file);
  }
  return all;
}

void addSchedules(syntax::Program &program, const ScheduleFile &file, source::Diagnostics &diagnostics) {
  Adder adder(program, file, diagnostics);
  for (syntax::Schedule &s : syntax::parseSchedules(file.file, diagnostics))
    adder.add(std::move(s));
}

} // namespace pbc::driver
