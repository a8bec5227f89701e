// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/session.h"

#include "tuner/evaluate/child_process.h"
#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/memory.h"
#include "tuner/evaluate/steps.h"
#include "tuner/journal/tuning_lock.h"
#include "tuner/kernels/compiled_variants.h"
#include "tuner/kernels/kernel_summary.h"
#include "tuner/kernels/search.h"
#include "tuner/output_files.h"
#include "tuner/report/progress.h"
#include "tuner/report/words.h"
#include "tuner/session/machine_file.h"
#include "tuner/session_start.h"
#include "tuner/space/toml.h"
#include "tuner/temporary_folder.h"
#include "tuner/travel/fitted.h"
#include "tuner/write_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;

constexpr double kKernelPatience = 60; // seconds that the default may take

class KernelSession {
public:
  explicit KernelSession(const TuneOptions &options)
      : options_(options),
        program_(options.output.empty() ? fs::path(options.program).stem().string() : options.output),
        configurationFile_(program_ + ".cfg"), progress_(stderr),
        variants_({compilerPath(), arguments(options), folder_.path(), jobs(options), options.compileLimit,
                   memoryLimit(options)}) {
    requireKernelOutputs(options, program_, configurationFile_);
  }

  int run() {
    constexpr double kMore = 0.05, kAtLeast = 0.5; // of the budget, and seconds, for what cannot be planned
    const InterruptGuard guard;
    const TimeLimit limit(begin_ + (1 + kMore) * budget() + kAtLeast);
    try {
      prepare();
    } catch (const TunerError &) {
      if (!stopRequested())
        throw;
      if (!isInterrupted())
        throw TunerError(
            fmt::format("the budget of {:.3g} s was over before the program had been compiled and run once; "
                        "nothing was written\n"
                        "  help: a longer time, --budget=SECONDS, or a smaller size, --n=N",
                        budget()));
      return nothingWritten();
    }
    const TestSize size{nameOf(sizes_), 0, seconds_};
    KernelSummary summary;
    summary.enough = options_.enough;
    KernelSearchSettings settings{.deadline = budget(), .most = options_.trials};
    if (options_.guide)
      summary.predictions = predictKernels(settings);
    if (options_.effort == "prove")
      summary.proofs = proveKernels(settings);
    summary.result = searchKernels(variants_, start_, size, settings, progress_,
                                   [&](const std::string &line) { progress_.note(line); });
    if (!variants_.notes().problem().empty())
      progress_.note(variants_.notes().problem());
    summary.program = program_;
    summary.journal = journal_->path();
    summary.machine = machineName();
    summary.size = nameOf(sizes_);
    summary.compiled = variants_.compiled();
    summary.runs = variants_.runs();
    summary.predictionSeconds = predictionSeconds_ + (advice_ ? advice_->spent() : 0);
    summary.elapsed = variants_.elapsed();
    summary.stopped = isInterrupted();
    const std::string file = variants_.program(summary.result.best);
    if (file.empty() && summary.stopped)
      return nothingWritten();
    if (file.empty())
      throw TunerError(fmt::format("{}: is not written: at last, the fastest program {}", program_,
                                   variants_.why(summary.result.best)));
    if (write(summary, file))
      summary.configuration = configurationFile_;
    fmt::print("{}", options_.json ? asJson(summary) : asText(summary));
    std::fflush(stdout);
    return 0;
  }

private:
  static int nothingWritten() {
    fmt::print(stderr, "pbc tune: stopped before the first measurement; nothing was written\n");
    return stopStatus();
  }

  static std::vector<std::string> arguments(const TuneOptions &options) {
    if (!fs::is_regular_file(options.program))
      throw TunerError(
          fmt::format("{}: there is no such source\n  help: --kernels compiles variants: name the "
                      "program's source, PROGRAM.pbcc",
                      options.program));
    std::vector<std::string> all{options.program};
    all.insert(all.end(), options.words.begin(), options.words.end());
    return all;
  }

  static int jobs(const TuneOptions &options) {
    return options.jobs > 0 ? options.jobs
                            : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  }

  static ProcessLimits memoryLimit(const TuneOptions &options) {
    return {options.memoryMegabytes > 0 ? options.memoryMegabytes << 20 : memoryShare()};
  }

  double budget() const {
    return options_.budget > 0            ? options_.budget
           : options_.effort == "instant" ? 10
           : options_.effort == "full"    ? 600
           : options_.effort == "prove"   ? 1800
                                          : 60;
  }

  void prepare() {
    const std::string plain = variants_.program({});
    if (plain.empty())
      throw TunerError(stopRequested() ? "stopped"
                                       : fmt::format("{}:\n{}", options_.program, variants_.why({})));
    const ProgramSpace space = describeProgram(plain, options_.program, "");
    main_ = space.main;
    takeConfiguration(space, plain);
    const std::string journal = journalPath(configurationFile_);
    lock_.emplace(configurationFile_, journal);
    journal_ = std::make_unique<Journal>(journal);
    WorkerOptions worker;
    worker.inputs = options_.inputs;
    worker.seed = options_.seed;
    worker.threads = options_.threads;
    worker.limits = memoryLimit(options_);
    Worker first(plain, worker);
    first.setBase(choices_);
    sizes_ = fullSizes(first, space, {options_.n, options_.sizes, !options_.inputs.empty()}, kKernelPatience);
    // The reference that all others are compared with.
    WorkerOptions keeping = worker;
    keeping.keep = folder_.path() + "/reference";
    Worker reference(plain, keeping);
    reference.setBase(choices_);
    const auto prepared = reference.prepare(sizes_, kKernelPatience);
    if (!prepared)
      throw TunerError(prepared.failure.stopped
                           ? "stopped"
                           : fmt::format("{} does not run at {}: it {}", options_.program, nameOf(sizes_),
                                         prepared.failure.reason));
    seconds_ = prepared.value->seconds;
    worker.reference = keeping.keep;
    variants_.setRuns({worker, sizes_, choices_, seconds_, machineName(), space.journalKey()},
                      journal_.get());
    if (!start_.empty() && variants_.program(start_).empty() && !stopRequested()) {
      progress_.note(
          fmt::format("the [kernels] of {} are not used as a start, and will be replaced: the program "
                      "{}",
                      configurationFile_, variants_.why(start_)));
      start_.clear();
    }
    progress_.note(fmt::format("tuning the kernels of {} at {}", space.program, nameOf(sizes_)));
  }

  /// One of the options of each kernel.
  std::vector<KernelOption> kernels() {
    std::vector<KernelOption> all;
    for (const KernelOption &option : variants_.options(start_))
      if (all.empty() || all.back().kernelTitle() != option.kernelTitle())
        all.push_back(option);
    return all;
  }

  ProofSettings proofSettings() {
    return {options_.program,
            options_.words,
            main_,
            sizes_,
            machineFileOf(options_.machine, folder_.path(),
                          [&](const std::string &line) { progress_.note(line); }),
            fs::path(configurationFile_).replace_extension(".prove.jsonl").string(),
            options_.enough};
  }

  /// Asks for each kernel that takes a part of the time which schedule is predicted to be fast, and gives it to the search.
  std::vector<KernelPrediction> predictKernels(KernelSearchSettings &settings) {
    constexpr double kMatters = 0.05;                   // of the predicted time of all
    constexpr double kShare = 0.01, kAtLeast = 0.6;     // of the budget, and seconds, twice
    constexpr double kFewPredictions = 12, kMany = 200; // fewer do not get anywhere
    const double allowance = std::max(kShare * budget(), kAtLeast);
    std::vector<KernelPrediction> predictions;
    try {
      const ProofSettings asked = proofSettings();
      const std::vector<KernelOption> kernels = this->kernels();
      const double begin = steadySeconds();
      const std::map<std::string, KernelTime> times = timesOf(asked, kernels);
      const double each =
          (steadySeconds() - begin) / static_cast<double>(std::max<std::size_t>(times.size(), 1));
      advice_ = std::make_unique<EmulatedAdvice>(asked, allowance, each);
      settings.advice = advice_.get();
      double all = 0;
      for (const auto &[title, time] : times)
        all += time.seconds;
      const auto hot = std::max<long>(1, std::ranges::count_if(times, [&](const auto &one) {
                                        return one.second.seconds >= kMatters * all;
                                      }));
      const int most =
          static_cast<int>(std::clamp(allowance / static_cast<double>(hot) / each, kFewPredictions, kMany));
      for (const KernelOption &kernel : kernels) {
        if (stopRequested())
          break;
        const auto known = times.find(kernel.kernelTitle());
        const KernelTime time = known == times.end() ? KernelTime{"it is not predicted"} : known->second;
        if (!time.why.empty() || time.seconds < kMatters * all) {
          predictions.push_back({kernel.transform, kernel.kernel,
                                 time.why.empty() ? "it takes little of the predicted time" : time.why});
          continue;
        }
        predictions.push_back(predictionOf(asked, kernel, most));
        if (KernelOption seed = seedOf(predictions.back(), kernel); !seed.others.empty())
          settings.seeds.push_back(std::move(seed));
        // Of tasks, a model of one thread knows nothing, so that they are tried at once.
        std::vector<std::string> &first = settings.first[kernel.kernelTitle()];
        first = predictions.back().remedies;
        first.insert(first.begin(), "tasks");
      }
      predictionSeconds_ = steadySeconds() - begin;
    } catch (const TunerError &) {
      if (!stopRequested())
        throw;
    }
    return predictions;
  }

  /// Searches each kernel alone, in half of the time, and gives what was found to the search.
  std::vector<KernelProof> proveKernels(KernelSearchSettings &settings) {
    constexpr double kShare = 0.5, kLeast = 1; // of the budget; seconds
    const std::vector<KernelOption> kernels = this->kernels();
    std::vector<KernelProof> proofs;
    // A search that is stopped leaves its libraries there, and they go with the folder.
    setenv("TMPDIR", folder_.path().c_str(), 1);
    try {
      const ProofSettings proof = proofSettings();
      const double end = variants_.elapsed() + kShare * (budget() - variants_.elapsed());
      for (std::size_t k = 0; k < kernels.size() && !stopRequested(); ++k) {
        const double share = (end - variants_.elapsed()) / static_cast<double>(kernels.size() - k);
        progress_.note(fmt::format("searching {} by lower bounds", kernels[k].kernelTitle()));
        proofs.push_back(proofOf(proof, kernels[k], std::max(share, kLeast)));
        take(proofs.back(), kernels[k], settings);
      }
    } catch (const TunerError &) {
      if (!stopRequested())
        throw;
    }
    return proofs;
  }

  void take(const KernelProof &proof, const KernelOption &kernel, KernelSearchSettings &settings) {
    for (const std::string &one : proof.refuted)
      progress_.note("internal error: a bound was too high and was left out; please report it: " + one);
    if (KernelOption seed = seedOf(proof, kernel); !seed.others.empty())
      settings.seeds.push_back(std::move(seed));
    if (isLeftAlone(proof, options_.enough))
      settings.done.insert(proof.title());
    settings.first[proof.title()] = firstEdits(proof.term());
  }

  /// Uses the program's configuration. Another version's is used as far as it fits, and stays as it is:
  /// tuning what has changed since then is left to `--refresh`.
  void takeConfiguration(const ProgramSpace &space, const std::string &plain) {
    requireOwnConfiguration(space, configurationFile_, true, kElsewhereWithProgram);
    earlier_ = textOf(configurationFile_);
    std::string usable = earlier_;
    if (!isFor(space, earlier_, configurationFile_)) {
      const Fitted fitted = fitConfiguration(plain, earlier_, configurationFile_);
      if (std::ranges::none_of(fitted.entries, isOfOtherVersion))
        fromToml(space, earlier_, configurationFile_); // throws if it does not fit
      usable = fitted.toml;
      progress_.note(fmt::format("{}: made for another version of the program; it is used as far as it fits",
                                 configurationFile_));
    }
    start_ = kernelSettings(earlier_);
    choices_ = withKernels(usable, "");
  }

  static bool isOfOtherVersion(const FittedEntry &entry) { return entry.title() == "hash" && !entry.isOk(); }

  /// Returns whether the configuration was changed. `file`: the best variant.
  bool write(const KernelSummary &summary, const std::string &file) {
    const KernelSettings &best = summary.result.best;
    std::string text =
        withThreads(withKernels(earlier_, toToml(best, provenance(summary))), options_.threads);
    if (text.empty() && !earlier_.empty())
      text = "[kernels]\n"; // none, as the program is made
    try {
      writeAtomically(program_, textOf(file), true);
      if (!text.empty())
        writeAtomically(configurationFile_, text);
    } catch (const TunerError &problem) {
      throw unwritten(problem, text);
    }
    return !text.empty();
  }

  const TuneOptions &options_;
  TemporaryFolder folder_;
  std::string program_, configurationFile_;
  Progress progress_;
  CompiledVariants variants_;
  std::optional<TuningLock> lock_; // must outlive the journal
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<EmulatedAdvice> advice_; // with --guide
  KernelSettings start_;
  std::string earlier_; // the text of the configuration
  std::string choices_; // the part of it with which variants run, without [kernels]
  std::string main_;    // the transform that runs
  Sizes sizes_;
  double seconds_ = 0;
  double predictionSeconds_ = 0; // before the search, with --guide
  const double begin_ = steadySeconds();
};

} // namespace

int runKernelSession(const TuneOptions &options) { return KernelSession(options).run(); }

} // namespace pbc::tuner
