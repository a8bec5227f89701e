// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/pipeline.h"
#include "compiler/body/verify.h"
#include "compiler/choice/verify.h"
#include "compiler/driver/chains.h"
#include "compiler/driver/explain.h"
#include "compiler/driver/explain_built.h"
#include "compiler/driver/explain_device.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/driver/memory_limit.h"
#include "compiler/driver/passes.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/rule_bounds.h"
#include "compiler/driver/rule_kernels.h"
#include "compiler/driver/standard_library.h"
#include "compiler/emit/device_texts.h"
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/lift.h"
#include "compiler/kernel/print.h"
#include "compiler/schedule/private_matrices.h"
#include "compiler/schedule/verify.h"
#include "compiler/sema/check.h"
#include "compiler/sema/verify.h"
#include "runtime/base/visible.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>
#include <unistd.h>

namespace pbc::driver {
namespace {

using Violations = std::vector<std::string>;

struct Pass {
  const char *name; // for --time-passes
  const char *why;  // why the pass stands at this position
  void (*run)(Compilation &);
  // Violations in the values that the pass makes; called in builds with PBC_VERIFY.
  Violations (*findViolations)(const Compilation &) = nullptr;
  bool (*isWanted)(const Options &) = nullptr; // null: always
};

/// A text that --emit or `pbc explain` prints after a pass.
struct Printer {
  Stage stage;
  const char *pass;
  std::string (*print)(Compilation &);
};

bool makesProgram(const Options &o) { return o.stage == Stage::Program; }
bool compiles(const Options &o) { return o.stage != Stage::Program || o.compiles; }
bool links(const Options &o) { return makesProgram(o) && o.compiles && o.links; }

/// All passes, in order. After a pass that reported an error no other one runs.
constexpr Pass kPasses[] = {
    {"read", "The file's place is part of every message, so it is known before anything else.", readSource},
    {"preprocess", "Included files and macros decide what the text of the program is.", preprocess},
    {"look for the finished program",
     "The text, the options and the files that took part decide the program: where it was made before, the "
     "rest is left out.",
     lookForFinishedProgram, nullptr, makesProgram},
    {"parse", "Names can be looked up once every declaration is a tree.", parse},
    {"check",
     "Sizes, types and copies of templates are settled before a body is read: it sees them as C++ types and "
     "constants.",
     check, [](const Compilation &c) { return sema::verify(c.module); }},
    {"understand bodies",
     "What a body reads, writes and calls decides where its rule may run and which optional inputs bound it.",
     understandBodies, [](const Compilation &c) { return body::verify(c.module, c.facts); }},
    {"choice grid", "Which rules reach which part of a matrix must be known before they can be ordered.",
     chooseGrids, [](const Compilation &c) { return choice::verify(c.module, c.choices, c.context); }},
    {"plans",
     "An alternative without a legal order is none: orders come before anything is made of alternatives.",
     plan,
     [](const Compilation &c) {
       Violations all = schedule::verify(c.module, c.choices, c.plans);
       const Violations ofChoices = choice::verify(c.module, c.choices, c.context);
       all.insert(all.end(), ofChoices.begin(), ofChoices.end());
       return all;
     }},
    {"versions",
     "How many versions of a matrix are stored follows from all plans, and kernels access what is stored.",
     foldVersions},
    {"configuration", "Its section [kernels] says how kernels are to be scheduled.", readConfiguration},
    {"kernels", "Loops are made of the ordered steps; what is printed as C++ is decided here.", makeKernels},
    {"emit", "C++ is printed of kernels and plans; nothing is decided any more.", emitUnits},
    {"compile", "Objects are made of the whole text of each unit.", compileUnits, nullptr, compiles},
    {"link", "A program with a configuration is asked whether it accepts it before it gets its name.",
     linkProgram, nullptr, links},
    {"write", "All files take their names together, once nothing can fail but the disk.", writeFiles, nullptr,
     makesProgram},
};

/// Prints kernels that are read back together. The pieces of a rule, and the versions of a kernel, have one name: all but the
/// first get a number behind it.
class KernelPrinter {
public:
  explicit KernelPrinter(kernel::Lines lines = kernel::Lines::Left) : lines_(lines) {}

  std::string print(const kernel::Scheduled &k) {
    const int number = ++printed_[k.name];
    if (number == 1)
      return kernel::print(k, lines_);
    kernel::Scheduled named = k;
    named.name += fmt::format("#{}", number);
    return kernel::print(named, lines_);
  }

private:
  kernel::Lines lines_;
  std::map<std::string, int> printed_;
};

/// The kernels as lifting makes them, each once: plans share most of their steps.
std::string liftedText(Compilation &c) {
  std::string out;
  KernelPrinter kernels(c.options.printsLines ? kernel::Lines::Printed : kernel::Lines::Left);
  for (const auto &t : c.module.transforms) {
    std::vector<const schedule::Step *> seen;
    for (const auto &plan : c.plans[t.index].plans)
      for (const schedule::Step &s : plan.steps) {
        const auto isSame = [&](const schedule::Step *other) { return schedule::isSameStep(*other, s); };
        if (s.callsTransforms || std::any_of(seen.begin(), seen.end(), isSame))
          continue;
        seen.push_back(&s);
        out += kernels.print(
            kernel::lift(t, s, c.facts[t.index], c.choices[t.index].grid, c.context,
                         schedule::privateMatrices(t, c.plans[t.index], s),
                         schedule::readElsewhere(t, c.choices[t.index].grid, c.plans[t.index], s), &c.sources)
                .kernel);
      }
  }
  return out;
}

std::string chainsText(Compilation &c) {
  std::string out = liftedText(c);
  KernelPrinter kernels(c.options.printsLines ? kernel::Lines::Printed : kernel::Lines::Left);
  for (const kernel::Scheduled &chain : chainsOf(c))
    out += kernels.print(chain);
  return out;
}

std::string kernelsText(Compilation &c) {
  std::string out;
  KernelPrinter kernels;
  for (const auto &t : c.module.transforms)
    for (std::size_t plan = 0; plan < c.kernels[t.index].size(); ++plan) {
      for (std::size_t step = 0; step < c.kernels[t.index][plan].size(); ++step) {
        if (const auto &k = c.kernels[t.index][plan][step])
          out += kernels.print(*k);
        for (const emit::Version &v : c.versions[t.index][plan][step])
          out += "// version " + v.choice + "\n" + (v.kernel ? kernels.print(*v.kernel) : "");
      }
      out += kernel::print(t, c.fusions[t.index][plan]);
      for (const kernel::TurnGroup &group : c.turns[t.index][plan].groups)
        for (const kernel::RowTurn &turn : group.turns)
          if (turn.cut)
            out += kernels.print(*turn.cut);
      out += kernel::print(t, c.turns[t.index][plan]);
    }
  return out;
}

std::string loopsText(Compilation &c) {
  std::string out;
  for (const auto &ofTransform : c.kernels)
    for (const auto &ofPlan : ofTransform)
      for (const auto &k : ofPlan)
        out += k ? emit::loopsText(*k) : "";
  return out;
}

std::string unitsText(Compilation &c) {
  std::string out;
  for (const auto &u : c.units)
    out += fmt::format("// ==== {}.cpp\n{}", u.name, u.text);
  return out;
}

std::string objectsText(Compilation &c) {
  std::string out;
  for (const auto &o : c.objects)
    out += o.bytes;
  return out;
}

constexpr Printer kPrinters[] = {
    {Stage::Ast, "parse", [](Compilation &c) { return syntax::print(c.program); }},
    {Stage::Module, "check", [](Compilation &c) { return sema::print(c.module); }},
    {Stage::Facts, "understand bodies",
     [](Compilation &c) { return body::print(c.module, c.facts, &c.sources); }},
    {Stage::Grid, "choice grid", [](Compilation &c) { return choice::print(c.module, c.choices); }},
    {Stage::Graph, "choice grid",
     [](Compilation &c) { return choice::printGraph(c.module, c.choices, c.options.dot); }},
    {Stage::Plan, "plans", [](Compilation &c) { return schedule::print(c.module, c.plans); }},
    {Stage::Lifted, "versions", liftedText},
    {Stage::Chains, "versions", chainsText},
    {Stage::Kernels, "kernels", kernelsText},
    {Stage::Loops, "kernels", loopsText},
    {Stage::Explain, "kernels",
     [](Compilation &c) {
       const Options &o = c.options;
       if (o.machineCodeOf.empty() && o.builtOn.empty()) {
         const emit::Input in = inputOf(c);
         return explain(in, c.reports, o.json, c.spaces, ruleBounds(c),
                        ExplainedStorage(in, c.context, c.storage, o.bounds));
       }
       const std::map<std::string, long> sizes = sizesOf("pbc explain", o.bounds.sizes);
       requireSizes("pbc explain", o.input, c.module, sizes);
       const emit::LaunchRequest request{.sizes = {sizes}, .isWide = o.indexBits == 64};
       return o.builtOn.empty() ? explainDevice(inputOf(c), o.machineCodeOf, request, o.json)
                                : explainBuilt(inputOf(c), o.builtOn, request, o.json);
     }},
    {Stage::Devices, "kernels",
     [](Compilation &c) {
       return emit::deviceTexts(inputOf(c), emit::deviceLanguages()[c.options.deviceLanguage]);
     }},
    {Stage::Cpp, "emit", unitsText},
    {Stage::Llvm, "compile", objectsText},
    {Stage::Asm, "compile", objectsText},
};

const Printer *printerAfter(const Pass &pass, Stage stage) {
  for (const Printer &printer : kPrinters)
    if (printer.stage == stage && std::string_view(printer.pass) == pass.name)
      return &printer;
  return nullptr;
}

/// Runs one pass, measures its time, and returns whether the next may run.
bool runPass(const Pass &pass, Compilation &c) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string before = std::exchange(c.times, "");
  MemoryLimit::during(pass.name);
  pass.run(c);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  c.times = before + fmt::format("{:<28} {:8.2f} ms\n", pass.name, took.count()) + c.times;
  if (c.diagnostics.hasErrors())
    return false;
  if (pass.findViolations)
    verify(pass.name, [&] { return pass.findViolations(c); });
  return !c.isFinished;
}

using TakeKernel = std::function<void(const kernel::Kernel &)>;

/// Without stdio, whose functions change `errno` after a write that has failed.
void writeToStandardOutput(std::string_view text) {
  bool isGood = std::fflush(stdout) == 0;
  while (isGood && !text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    isGood = written >= 0 || errno == EINTR;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  if (!isGood)
    throw Refusal(fmt::format("pbc: error: standard output cannot be written: {}\n", std::strerror(errno)));
}

/// Who takes the result in place of standard output.
struct Taker {
  TakeKernel kernels = nullptr;                             // that of each rule
  std::function<void(const emit::Input &)> input = nullptr; // all of them
  std::function<void(const std::string &)> text = nullptr;  // the text of the stage
};

/// Up to the stage that is asked for.
void runPasses(Compilation &c, const Taker &taker) {
  for (const Pass &pass : kPasses) {
    if (pass.isWanted && !pass.isWanted(c.options))
      continue;
    if (!runPass(pass, c))
      return;
    if (const Printer *printer = printerAfter(pass, c.options.stage)) {
      if (taker.kernels)
        return eachRuleKernel(c, taker.kernels);
      if (taker.input)
        return taker.input(inputOf(c));
      const std::string text = printer->print(c);
      if (taker.text)
        taker.text(text);
      else
        writeToStandardOutput(text);
      return;
    }
  }
}

void sayInternalError(const char *what) {
  say(fmt::format(
      "pbc: internal error: {}\nhelp: this is a fault of pbc, not of your program; please report it "
      "with the program and this message\n",
      what));
}

/// 0, or 1 after an error.
int runPipeline(const Options &options, const Taker &taker = {}) {
  const MemoryLimit limit(options.memoryLimit);
  Compilation c(options);
  bool isGood = true;
  try {
    runPasses(c, taker);
    isGood = !c.diagnostics.hasErrors();
  } catch (const Refusal &problem) {
    isGood = false;
    say(problem.what());
  } catch (const pb::base::CannotWrite &problem) {
    isGood = false;
    say(fmt::format("pbc: error: cannot write {}: {}\n", problem.name, problem.why));
  } catch (const std::bad_alloc &) { // a size that exceeds all memory
    isGood = false;
    say("pbc: error: the compilation needs more memory than the system gives\n");
  } catch (const std::exception &problem) { // InternalError, or an unexpected exception
    isGood = false;
    sayInternalError(problem.what());
  }
  fmt::print(stderr, "{}", c.diagnostics.render(isatty(2) != 0));
  if (options.timePasses)
    fmt::print(stderr, "{}", c.times);
  return isGood ? 0 : 1;
}

} // namespace

void say(const std::string &text) { fmt::print(stderr, "{}", pb::base::visible(text)); }

void requireNone(const char *pass, const std::vector<std::string> &violations) {
  if (!violations.empty())
    throw InternalError(fmt::format("{}: {}", pass, fmt::join(violations, "; ")));
}

Compilation::Compilation(const Options &o)
    : options(o), standardFolder(driver::standardFolder()), diagnostics(sources),
      cache(o.noCache ? "" : build::Cache::defaultFolder()), preambles(&cache) {}

emit::Input inputOf(const Compilation &c) {
  return {.module = c.module,
          .facts = c.facts,
          .choices = c.choices,
          .plans = c.plans,
          .kernels = c.kernels,
          .fusions = c.fusions,
          .sources = &c.sources,
          .processors = c.options.cpus,
          .rawBlocks = c.understood.rawBlocks,
          .directivesOf = c.understood.directivesOf,
          .kernelOptions = c.requests.text(),
          .devices = &c.devices,
          .versions = &c.versions,
          .library = c.library ? &*c.library : nullptr,
          .turns = &c.turns,
          .checksBounds = c.options.boundsCheck,
          .takesPointers = c.understood.takesPointers};
}

int compileProgram(const Options &options) { return runPipeline(options); }

namespace {

Options quietOptions(const std::string &file, Stage stage) {
  Options options;
  options.input = file;
  options.stage = stage;
  options.forDevices = false;
  options.memoryLimit = defaultMemoryLimit();
  return options;
}

/// Nothing if the words are no options of `pbc`, which was said.
std::optional<Options> optionsOf(const std::string &file, const std::vector<std::string> &words,
                                 Stage stage) {
  std::vector<std::string> all{"pbc", file};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char *> arguments;
  for (std::string &word : all)
    arguments.push_back(word.data());
  ParsedOptions parsed = parseOptions(int(arguments.size()), arguments.data());
  if (!parsed.run)
    return std::nullopt;
  parsed.options.stage = stage;
  return parsed.options;
}

} // namespace

bool eachKernel(const std::string &file, const TakeKernel &take) {
  return runPipeline(quietOptions(file, Stage::Plan), {.kernels = take}) == 0;
}

bool withKernels(const std::string &file, const std::vector<std::string> &words,
                 const std::function<void(const emit::Input &)> &take) {
  const std::optional<Options> options = optionsOf(file, words, Stage::Kernels);
  return options && runPipeline(*options, {.input = take}) == 0;
}

std::optional<std::string> liftedKernels(const std::string &file, const std::vector<std::string> &words,
                                         bool withChains) {
  std::optional<Options> options = optionsOf(file, words, withChains ? Stage::Chains : Stage::Lifted);
  if (!options)
    return std::nullopt;
  options->forDevices = false;
  options->printsLines = true;
  std::string lifted;
  const Taker taker{.text = [&](const std::string &text) { lifted = text; }};
  return runPipeline(*options, taker) == 0 ? std::optional(lifted) : std::nullopt;
}

} // namespace pbc::driver
