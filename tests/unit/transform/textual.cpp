// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/transform/textual.h"
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/textual/print_tree.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/syntax/parse.h"
#include <gmock/gmock.h>

namespace pbc::kernel {

Scheduled Texts::kernel(const std::string &text) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  std::vector<Scheduled> all = parse(sources.add("kernel", text), context_, diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  if (all.empty())
    throw std::runtime_error("no kernel:\n" + text);
  return all.front();
}

std::string Texts::messages(const std::string &text) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  parse(sources.add("kernel", text), context_, diagnostics);
  return diagnostics.render();
}

script::Script Texts::steps(const std::string &text) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  const std::optional<script::Script> read = syntax::parseScript(sources.add("steps", text), diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  return read.value_or(script::Script{});
}

std::optional<Scheduled> Texts::run(const Scheduled &kernel, const std::string &text, std::string *why) {
  const ScriptOutcome made = kernel::run(steps(text), kernel, Mode::Strict);
  if (made.failed.empty())
    return made.kernel;
  if (why)
    *why = made.failed.front().problem.what;
  return std::nullopt;
}

std::string Texts::after(const Scheduled &kernel, const std::string &text) {
  std::string why;
  const std::optional<Scheduled> made = run(kernel, text, &why);
  return made ? treeOf(*made) : "refused: " + why;
}

std::string treeOf(const Scheduled &kernel) { return textual::treeText(kernel, kernel.schedule.tree, ""); }

std::string scheduledLoops(const Scheduled &kernel) {
  const std::string all = pbc::emit::loopsText(kernel);
  const std::size_t from = all.find("  scheduled\n") + 12;
  return all.substr(from, all.find("  lowered\n") - from);
}

std::size_t countOf(const std::string &text, const std::string &word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size())
    ++count;
  return count;
}

} // namespace pbc::kernel
