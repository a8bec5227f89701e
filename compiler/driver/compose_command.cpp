// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/compose_command.h"
#include "compiler/compose/report.h"
#include "compiler/compose/rules.h"
#include "compiler/driver/adaptor_files.h"
#include "compiler/driver/conditions.h"
#include "compiler/driver/memory_limit.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/standard_library.h"
#include "compiler/driver/text_input.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/parse.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/verify.h"
#include "compiler/syntax/parse.h"
#include "runtime/base/parse_status.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace pbc::driver {
namespace {

struct ComposeOptions {
  std::string input, rule, script, kernel;
  std::vector<std::string> adaptations, files;
  int printed = 0; // the number of the sequence whose kernel is printed
  bool isJson = false, isVerified = false;
};

class Compose {
public:
  explicit Compose(const ComposeOptions &options) : options_(options) {}

  /// Nothing if there were errors.
  std::optional<std::string> run() {
    const std::optional<source::FileId> input = kernelText();
    if (!input)
      return std::nullopt;
    const std::vector<kernel::Scheduled> kernels = kernel::parse(*input, context_, diagnostics_);
    const source::FileId file = load(options_.script);
    const std::optional<script::Script> script = syntax::parseScript(file, diagnostics_);
    loadAdaptors();
    if (diagnostics_.hasErrors() || !script)
      return std::nullopt;
    const std::vector<compose::Adapted> adapted = adaptations();
    if (diagnostics_.hasErrors())
      return std::nullopt;
    std::string text;
    bool isAny = false;
    for (const kernel::Scheduled &k : kernels) {
      if (!isAsked(k.name))
        continue;
      isAny = true;
      text += composed(k, *script, adapted);
    }
    if (!isAny)
      throw Refusal(fmt::format("pbc compose: error: there is no kernel {} here\nhelp: the kernels are {}\n",
                                options_.kernel.empty() ? options_.rule : options_.kernel,
                                fmt::join(namesOf(kernels), ", ")));
    return diagnostics_.hasErrors() ? std::nullopt : std::optional(text);
  }

  std::string messages() const { return diagnostics_.render(isatty(STDERR_FILENO) != 0); }

private:
  source::FileId load(const std::string &path) { return loadText(sources_, path, "pbc compose"); }

  /// The kernels as text: those of a program as they are lifted. Nothing if the program has errors, which were printed.
  std::optional<source::FileId> kernelText() {
    if (!options_.input.ends_with(".pbcc"))
      return load(options_.input);
    const std::optional<std::string> text = liftedKernels(options_.input);
    return text ? std::optional(sources_.add(options_.input + " as --emit=lifted prints it", *text))
                : std::nullopt;
  }

  /// By --kernel, or by the rule: "Product.Cells", or "Cells" of any transform.
  bool isAsked(const std::string &name) const {
    return (options_.kernel.empty() || name == options_.kernel) &&
           (options_.rule.empty() || name == options_.rule || name.ends_with("." + options_.rule));
  }

  static std::vector<std::string> namesOf(const std::vector<kernel::Scheduled> &kernels) {
    std::vector<std::string> names;
    for (const kernel::Scheduled &k : kernels)
      names.push_back(k.name);
    return names;
  }

  void loadAdaptors() {
    std::vector<std::string> paths = standardAdaptors(standardFolder());
    paths.insert(paths.end(), options_.files.begin(), options_.files.end());
    std::vector<source::FileId> files;
    for (const std::string &path : paths)
      files.push_back(load(path));
    adaptors_ = readAdaptors(files, diagnostics_);
  }

  std::vector<compose::Adapted> adaptations() {
    std::vector<compose::Adapted> all;
    for (const std::string &text : options_.adaptations) {
      const auto use = syntax::parseAdaptation(sources_.add("--adaptor", text), diagnostics_);
      if (!use)
        continue;
      if (auto rules = compose::rulesOf(adaptors_, *use, diagnostics_))
        all.push_back({*use, std::move(*rules)});
    }
    return all;
  }

  /// Errors for what no sequence could contain.
  bool check(const kernel::Scheduled &k, const script::Script &script,
             const std::vector<compose::Adapted> &adapted) {
    const kernel::Scheduled start = kernel::withLabels(k);
    const auto checkStep = [&](const script::Step &step, const script::Adaptation *use) {
      const kernel::Transformation *transformation = kernel::findTransformation(step.transformation);
      const std::optional<kernel::StepProblem> problem =
          transformation ? kernel::whyNever(*transformation, script::resolved(step))
                         : std::optional(kernel::run(step, start).problem);
      if (!problem)
        return;
      source::Diagnostic &error = diagnostics_.error(
          problem->span, fmt::format("the step `{}` is in no script: {}", script::text(step), problem->what));
      if (use)
        error.note(use->span, fmt::format("the step is part of `{}`", script::text(*use)));
      error.help(problem->help);
    };
    for (const script::Step &step : script)
      checkStep(step, nullptr);
    for (const compose::Adapted &one : adapted) {
      for (const script::AdaptorRule &rule : one.rules)
        for (const script::Step &step : rule.steps)
          checkStep(step, &one.use);
      const auto *matrix = std::get_if<script::Name>(&one.use.arguments.front().what);
      std::vector<std::string> matrices;
      for (const kernel::Buffer &b : k.buffers)
        if (kernel::isMatrix(b))
          matrices.push_back(kernel::programName(k, b));
      const std::vector<int> buffers = matrix ? kernel::buffersCalled(k, matrix->text) : std::vector<int>{};
      const kernel::Buffer *buffer =
          buffers.size() == 1 ? &k.buffers[static_cast<std::size_t>(buffers.front())] : nullptr;
      if (buffer && kernel::isMatrix(*buffer))
        checkConditions(*compose::findAdaptor(adaptors_, one.use.adaptor), *buffer, diagnostics_);
      else
        diagnostics_
            .error(one.use.arguments.front().span,
                   fmt::format("{} has no matrix `{}`", k.name, script::text(one.use.arguments.front())))
            .help(fmt::format("its matrices are {}", fmt::join(matrices, ", ")));
    }
    return !diagnostics_.hasErrors();
  }

  /// A warning for each adaptor of which no rule applies, with the reason of each.
  void warnOfUnused(const kernel::Scheduled &k, const std::vector<compose::Adapted> &adapted,
                    const compose::Composition &composition) {
    for (std::size_t a = 0; a < adapted.size(); ++a) {
      const std::vector<compose::Unused> unused = compose::unusedRules(composition, adapted, a);
      if (unused.empty())
        continue;
      auto &warning = diagnostics_.warning(
          adapted[a].use.span, fmt::format("no rule of `{}` applies to {}", adapted[a].use.adaptor, k.name));
      std::string reasons;
      for (const compose::Unused &one : unused)
        reasons += fmt::format("{}rule {}: {}", reasons.empty() ? "" : "; ", one.rule + 1, one.why);
      warning.help(reasons);
    }
  }

  void verify(const kernel::Scheduled &k, const compose::Composition &composition) {
    for (const auto &[variant, sequence] : compose::distinct(composition))
      for (const std::string &complaint : kernel::verify(*sequence->kernel))
        throw Refusal(fmt::format("pbc compose: internal error: {} is not sound after `{}`: {}\n", k.name,
                                  script::line(sequence->kept), complaint));
  }

  std::string composed(const kernel::Scheduled &k, const script::Script &script,
                       const std::vector<compose::Adapted> &adapted) {
    if (!check(k, script, adapted))
      return "";
    const compose::CompositionOutcome made = compose::compose(k, script, adapted);
    if (!made.composition)
      throw Refusal(fmt::format("pbc compose: error: {}: {}\n", k.name, made.why));
    warnOfUnused(k, adapted, *made.composition);
    if (options_.isVerified)
      verify(k, *made.composition);
    if (options_.printed == 0)
      return compose::report(
          {k.name, std::filesystem::path(options_.script).stem(), adapted, *made.composition},
          options_.isJson);
    int number = 0;
    for (const compose::Variant &variant : made.composition->variants)
      for (const compose::Sequence &sequence : variant.sequences)
        if (++number == options_.printed)
          return kernel::print(*sequence.kernel);
    throw Refusal(fmt::format("pbc compose: error: there is no sequence {}: they go from 1 to {}\n",
                              options_.printed, number));
  }

  const ComposeOptions &options_;
  source::SourceManager sources_;
  source::Diagnostics diagnostics_{sources_};
  poly::Context context_;
  std::vector<script::Adaptor> adaptors_;
};

int run(const ComposeOptions &o) {
  const MemoryLimit limit(defaultMemoryLimit());
  Compose compose(o);
  std::optional<std::string> text;
  try {
    text = compose.run();
    if (text)
      std::fwrite(text->data(), 1, text->size(), stdout);
  } catch (const Refusal &problem) {
    say(problem.what());
  } catch (const std::bad_alloc &) {
    say("pbc compose: error: the sequences need more memory than the system gives\n");
  } catch (const std::exception &problem) {
    say(fmt::format("pbc compose: internal error: {}\nhelp: this is a fault of pbc; please report it with "
                    "the kernel, the script and "
                    "this message\n",
                    problem.what()));
  }
  fmt::print(stderr, "{}", compose.messages());
  return text ? 0 : 1;
}

} // namespace

int composeCommand(int argc, char **argv) {
  ComposeOptions o;
  CLI::App app(
      "Weaves adaptors into a script, for the loops of a program's rules or for kernels in text form "
      "(`pbc --emit=lifted`), and says what became of each way to mix them.",
      "pbc compose");
  app.footer("Example:\n  pbc compose trmm.pbcc Cells --script=gemm.sched --adaptor='Triangular(A)'");
  app.add_option("input", o.input,
                 "the program, FILE.pbcc, or kernels, FILE.kernel; `-` for kernels on standard input")
      ->required();
  app.add_option("rule", o.rule, "the rule whose loops are meant, RULE or TRANSFORM.RULE");
  app.add_option("--script", o.script, "file with the steps of the script")->required();
  app.add_option("--adaptor", o.adaptations,
                 "an adaptor with its arguments, such as 'Triangular(A)'; may be given several times")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--adaptors", o.files, "file with further adaptors, FILE.adl")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--kernel", o.kernel, "the kernel of this name only");
  app.add_option("--print", o.printed, "print the kernel that the sequence of this number makes")
      ->check(CLI::PositiveNumber);
  app.add_flag("--verify", o.isVerified, "check each kernel, as `pbc opt --verify` does");
  app.add_flag("--json", o.isJson, "print the table as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return pb::base::parseStatus(app, e);
  }
  return run(o);
}

} // namespace pbc::driver
