// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/opt_command.h"
#include "compiler/driver/memory_limit.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/text_input.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/parse.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/verify.h"
#include "compiler/syntax/parse.h"
#include "runtime/base/parse_status.h"
#include "runtime/base/pending_files.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace pbc::driver {
namespace {

struct OptOptions {
  std::string input, output, kernel, printAfter;
  std::vector<std::string> scripts, passes;
  bool verifies = false, isLenient = false, listsTransformations = false;
};

/// One of the texts with steps, in the order of the command line.
struct Steps {
  bool isFile = false;
  std::string text; // the steps, or the file's name
};

std::string listed() {
  std::string text;
  for (const kernel::Transformation &t : kernel::transformations())
    text += fmt::format("{}\n    {}\n", kernel::usage(t), t.doc);
  return text;
}

/// Runs the steps on the kernels of one file.
class Opt {
public:
  explicit Opt(const OptOptions &options) : options_(options) {}

  /// The kernels as text; nothing if there were errors.
  std::optional<std::string> run(const std::vector<Steps> &all) {
    const source::FileId file = load(options_.input);
    std::vector<kernel::Scheduled> kernels = kernel::parse(file, context_, diagnostics_);
    script::Script script;
    for (const Steps &steps : all) {
      const source::FileId from = steps.isFile ? load(steps.text) : sources_.add("--pass", steps.text);
      if (const std::optional<script::Script> read = syntax::parseScript(from, diagnostics_))
        script.insert(script.end(), read->begin(), read->end());
    }
    if (diagnostics_.hasErrors())
      return std::nullopt;
    requireSensible(kernels, script);
    std::string text;
    for (kernel::Scheduled &k : kernels) {
      if (options_.kernel.empty() || k.name == options_.kernel)
        transform(k, script);
      text += kernel::print(k);
    }
    return diagnostics_.hasErrors() ? std::nullopt : std::optional(text);
  }

  std::string messages() const { return diagnostics_.render(isatty(STDERR_FILENO) != 0); }

private:
  source::FileId load(const std::string &path) { return loadText(sources_, path, "pbc opt"); }

  void requireSensible(const std::vector<kernel::Scheduled> &kernels, const script::Script &script) const {
    std::vector<std::string> names, steps;
    for (const kernel::Scheduled &k : kernels)
      names.push_back(k.name);
    if (!options_.kernel.empty() && !std::count(names.begin(), names.end(), options_.kernel))
      throw Refusal(fmt::format("pbc opt: error: there is no kernel {} here{}\nhelp: the kernels are {}\n",
                                options_.kernel, pb::base::didYouMean(options_.kernel, names),
                                fmt::join(names, ", ")));
    for (const script::Step &s : script)
      steps.push_back(s.transformation);
    for (std::size_t k = 1; k <= script.size(); ++k)
      steps.push_back(std::to_string(k));
    const std::string &after = options_.printAfter;
    if (!after.empty() && after != "all" && !std::count(steps.begin(), steps.end(), after))
      throw Refusal(fmt::format("pbc opt: error: --print-after={} names no step\nhelp: it takes the number "
                                "of a step, the name of its "
                                "transformation, or `all`\n",
                                after));
  }

  /// Up to the first step that does not apply, or of all that do.
  void transform(kernel::Scheduled &k, const script::Script &script) {
    if (!script.empty())
      k = kernel::withLabels(k);
    for (std::size_t n = 0; n < script.size(); ++n) {
      const script::Step &step = script[n];
      const std::string what = fmt::format("step {}, `{}`,", n + 1, script::text(step));
      kernel::StepOutcome made = kernel::run(step, k);
      if (!made.kernel) {
        source::Diagnostic &d = report(
            made.problem.span, fmt::format("{} does not apply to {}: {}", what, k.name, made.problem.what));
        if (!made.problem.help.empty())
          d.help(made.problem.help);
        if (options_.isLenient)
          continue;
        return;
      }
      k = std::move(*made.kernel);
      if (isPrintedAfter(step, n))
        fmt::print(stderr, "// {} after {}\n{}", k.name, what, kernel::print(k));
      if (options_.verifies)
        verify(k, what);
    }
  }

  source::Diagnostic &report(source::Span span, const std::string &message) {
    return options_.isLenient ? diagnostics_.warning(span, message) : diagnostics_.error(span, message);
  }

  bool isPrintedAfter(const script::Step &step, std::size_t n) const {
    const std::string &after = options_.printAfter;
    return after == "all" || after == step.transformation || after == std::to_string(n + 1);
  }

  void verify(const kernel::Scheduled &k, const std::string &what) const {
    std::vector<std::string> complaints;
    if (!context_.withBudget(kernel::kDependenceBudget, [&] { complaints = kernel::verify(k); }))
      complaints = {"the verifier takes too long"};
    if (!complaints.empty())
      throw InternalError(
          fmt::format("{} made a wrong kernel of {}: {}", what, k.name, fmt::join(complaints, "; ")));
  }

  const OptOptions &options_;
  source::SourceManager sources_;
  source::Diagnostics diagnostics_{sources_};
  poly::Context context_;
};

/// The values of --pass and --script as they follow each other.
std::vector<Steps> inOrder(const CLI::App &app, const CLI::Option *script, const OptOptions &o) {
  std::vector<Steps> all;
  std::size_t scripts = 0, passes = 0;
  for (const CLI::Option *option : app.parse_order()) {
    if (option->get_name() == "--script" && option == script)
      all.push_back({true, o.scripts[scripts++]});
    else if (option->get_name() == "--pass")
      all.push_back({false, o.passes[passes++]});
  }
  return all;
}

int run(const OptOptions &o, const std::vector<Steps> &steps) {
  const MemoryLimit limit(defaultMemoryLimit());
  Opt opt(o);
  std::optional<std::string> text;
  int status = 1;
  try {
    text = opt.run(steps);
    if (text && !o.output.empty())
      pb::base::writeWhole(o.output, *text);
    else if (text)
      std::fwrite(text->data(), 1, text->size(), stdout);
    status = text ? 0 : 1;
  } catch (const Refusal &problem) {
    say(problem.what());
  } catch (const pb::base::CannotWrite &problem) {
    say(fmt::format("pbc opt: error: cannot write {}: {}\n", problem.name, problem.why));
  } catch (const std::bad_alloc &) {
    say("pbc opt: error: the steps need more memory than the system gives\n");
  } catch (const std::exception &problem) {
    say(fmt::format("pbc opt: internal error: {}\nhelp: this is a fault of pbc, not of your kernel; please "
                    "report it with the kernel, "
                    "the steps and this message\n",
                    problem.what()));
  }
  fmt::print(stderr, "{}", opt.messages());
  return status;
}

} // namespace

int optCommand(int argc, char **argv) {
  OptOptions o;
  CLI::App app("Runs steps of a schedule on kernels in text form, which `pbc --emit=lifted` and `pbc "
               "--emit=kernels` print, and prints "
               "the kernels that result.",
               "pbc opt");
  app.footer("Example:\n  pbc --emit=lifted mm.pbcc | pbc opt - --pass='tile(y, x; 32, 256)' --verify");
  CLI::Option *const input =
      app.add_option("input", o.input, "the kernels, FILE.kernel; `-` for standard input");
  app.add_option("-o,--output", o.output, "where to write the kernels (default: standard output)");
  const CLI::Option *const script =
      app.add_option("--script", o.scripts, "file with steps")->take_all()->allow_extra_args(false);
  app.add_option("--pass", o.passes,
                 "steps, such as 'tile(y, x; 32, 256)'; these and --script are run in their order")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--kernel", o.kernel, "run the steps on the kernel of this name only");
  app.add_option("--print-after", o.printAfter,
                 "print the kernel to standard error after this step (its number or the name of its "
                 "transformation), or after `all`");
  app.add_flag("--verify", o.verifies, "check the kernel after each step");
  app.add_flag("--lenient", o.isLenient, "leave out steps that do not apply, with a warning");
  app.add_flag("--list", o.listsTransformations, "print the transformations and end");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return pb::base::parseStatus(app, e);
  }
  if (o.listsTransformations) {
    fmt::print("{}", listed());
    return 0;
  }
  if (input->count() == 0) {
    say("pbc opt: error: the file with the kernels is missing\nhelp: pbc opt FILE.kernel, or `pbc opt -` for "
        "standard input\n");
    return 1;
  }
  return run(o, inOrder(app, script, o));
}

} // namespace pbc::driver
