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
#include "compiler/schedule/verify.h"
#include "compiler/sema/check.h"
#include "compiler/syntax/parse.h"
#include "tests/fuzz/mutate.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace {

using namespace pbc;
using Clock = std::chrono::steady_clock;

/// Returns 0 if the program was refused, 1 if it was accepted. Throws internal errors.
int compile(const std::string &text) {
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  const auto file = sources.add("fuzz.pbcc", text);
  const auto expanded = syntax::preprocess(sources, file, diagnostics);
  const auto program = syntax::parse(expanded, file, diagnostics);
  const auto refused = [&] { return diagnostics.hasErrors(); };
  if (refused())
    return 0;
  const auto module = sema::check(program, "fuzz", "", diagnostics);
  if (refused())
    return 0;
  const auto facts = body::understand(module, diagnostics).facts;
  if (refused())
    return 0;
  poly::Context context;
  choice::checkSizes(module, facts, context, diagnostics);
  if (refused())
    return 0;
  auto choices = choice::chooseGrids(module, facts, context, diagnostics);
  if (refused())
    return 0;
  const auto plans = schedule::plan(module, facts, choices, context, diagnostics);
  if (refused())
    return 0;
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
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fuzz_compiler FOLDER [seconds] [seed]\n");
    return 1;
  }
  const double seconds = argc > 2 ? std::atof(argv[2]) : 60;
  std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  fuzz::tellOnCrash();
  std::vector<std::vector<std::string>> pool;
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
    if (entry.path().extension() == ".pbcc")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto &path : files) {
    std::ifstream in(path);
    pool.push_back(fuzz::lexemesOf(std::string(std::istreambuf_iterator<char>(in), {})));
  }
  if (files.empty()) {
    std::fprintf(stderr, "fuzz_compiler: no .pbcc file in %s\n", argv[1]);
    return 1;
  }
  const auto start = Clock::now();
  unsigned done = 0, accepted = 0;
  double slowest = 0;
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    fuzz::current = fuzz::mutate(pool, random, 2);
    fuzz::limitTime(30);
    const auto begin = Clock::now();
    try {
      accepted += static_cast<unsigned>(compile(fuzz::current));
    } catch (const std::exception &e) {
      std::fprintf(stderr, "fuzz_compiler: internal error: %s\non this program:\n%s\n", e.what(),
                   fuzz::current.c_str());
      return 1;
    }
    slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - begin).count());
    fuzz::limitTime(0);
    ++done;
  }
  std::printf("%u programs, %u of them accepted, the slowest took %.2f s\n", done, accepted, slowest);
  return 0;
}
