// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles mutated programs up to the C++ text: each must be accepted or refused with messages; a crash, a
// hang or an internal error is a failure.
//
//   fuzz_compiler FOLDER [seconds = 60] [seed = 1]     FOLDER: programs to begin with, *.pbcc
//
// Most mutations break the syntax, which fuzz_frontend covers; here only one or two lexemes change, so that
// many programs reach the middle of the compiler.
#include "compiler/choice/sizes.h"
#include "compiler/emit/emit.h"
#include "compiler/kernel/lift.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/verify.h"
#include "compiler/schedule/copied_reads.h"
#include "compiler/schedule/verify.h"
#include "compiler/sema/check.h"
#include "compiler/syntax/parse.h"
#include "tests/fuzz/campaign.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>

namespace {

using namespace pbc;

/// Throws internal errors.
fuzz::Verdict compile(const std::string &text) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  const auto file = sources.add("fuzz.pbcc", text);
  const auto expanded = syntax::preprocess(sources, file, diagnostics);
  const auto program = syntax::parse(expanded, file, diagnostics);
  const auto refused = [&] { return diagnostics.hasErrors(); };
  if (refused())
    return {false};
  auto module = sema::check(program, "fuzz", "", diagnostics);
  if (refused())
    return {false};
  auto facts = body::understand(module, diagnostics).facts;
  if (refused())
    return {false};
  poly::Context context;
  choice::checkSizes(module, facts, context, diagnostics);
  if (refused())
    return {false};
  auto choices = choice::chooseGrids(module, facts, context, diagnostics);
  if (refused())
    return {false};
  auto plans = schedule::plan(module, facts, choices, context, diagnostics);
  if (refused())
    return {false};
  schedule::copyReads(module, facts, choices, plans, context);
  auto violations = schedule::verify(module, choices, plans);
  emit::Kernels kernels;
  for (const auto &t : module.transforms) {
    kernels.emplace_back();
    for (const auto &plan : plans[t.index].plans) {
      kernels.back().emplace_back();
      for (const auto &step : plan.steps) {
        if (step.callsTransforms) {
          kernels.back().back().emplace_back(std::nullopt);
          continue;
        }
        const auto lifted = kernel::lift(t, step, facts[t.index], choices[t.index].grid, context);
        auto k = kernel::defaultSchedule(lifted.kernel).kernel;
        const auto more = kernel::verify(k);
        violations.insert(violations.end(), more.begin(), more.end());
        kernels.back().back().emplace_back(std::move(k));
      }
    }
  }
  if (!violations.empty())
    throw std::logic_error(fmt::format("{}", fmt::join(violations, "; ")));
  const auto fusions = emit::fuse(module, plans, kernels);
  emit::emit({module, facts, choices, plans, kernels, fusions}, context, "");
  return {true};
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fuzz_compiler FOLDER [seconds] [seed]\n");
    return 1;
  }
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
    if (entry.path().extension() == ".pbcc")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    std::fprintf(stderr, "fuzz_compiler: no .pbcc file in %s\n", argv[1]);
    return 1;
  }
  fuzz::Target target{.name = "fuzz_compiler",
                      .tryText = compile,
                      .secondsEach = 30,
                      .mostMutations = 2,
                      .mostTexts = std::numeric_limits<unsigned>::max(),
                      .triesSeeds = false};
  for (const auto &path : files) {
    std::ifstream in(path);
    target.seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return fuzz::campaign(target, argc - 1, argv + 1);
}
