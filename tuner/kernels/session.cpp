// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/session.h"

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
#include "tuner/session_start.h"
#include "tuner/space/toml.h"
#include "tuner/travel/fitted.h"
#include "tuner/write_file.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;

constexpr double kKernelPatience = 60; // seconds that the default may take

/// This very program: it compiles the variants.
std::string ownPath() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0 || n == PATH_MAX)
    throw TunerError(fmt::format("cannot find the compiler: {}", std::strerror(errno)));
  return {path, static_cast<std::size_t>(n)};
}

/// A folder that is gone with it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "pbc-tune-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw TunerError(fmt::format("cannot make a folder for variants: {}", std::strerror(errno)));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

class KernelSession {
public:
  explicit KernelSession(const TuneOptions &options)
      : options_(options),
        program_(options.output.empty() ? fs::path(options.program).stem().string() : options.output),
        configurationFile_(program_ + ".cfg"), progress_(stderr),
        variants_({ownPath(), arguments(options), folder_.path(), jobs(options), options.compileLimit,
                   memoryLimit(options)}) {
    requireKernelOutputs(options, program_, configurationFile_);
  }

  int run() {
    const InterruptGuard guard;
    try {
      prepare();
    } catch (const TunerError &) {
      if (!stopRequested())
        throw;
      return nothingWritten();
    }
    const TestSize size{nameOf(sizes_), 0, seconds_};
    KernelSummary summary;
    summary.result = searchKernels(variants_, start_, size, {budget()}, progress_,
                                   [&](const std::string &line) { progress_.note(line); });
    if (!variants_.notes().problem().empty())
      progress_.note(variants_.notes().problem());
    summary.program = program_;
    summary.journal = journal_->path();
    summary.machine = machineName();
    summary.size = nameOf(sizes_);
    summary.compiled = variants_.compiled();
    summary.runs = variants_.runs();
    summary.elapsed = variants_.elapsed();
    summary.stopped = stopRequested();
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
                                          : 60;
  }

  void prepare() {
    const std::string plain = variants_.program({});
    if (plain.empty())
      throw TunerError(stopRequested() ? "stopped"
                                       : fmt::format("{}:\n{}", options_.program, variants_.why({})));
    const ProgramSpace space = describeProgram(plain, options_.program, "");
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
    // What all others are compared with.
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

  /// The program's configuration. Another version's is used as far as it fits, and stays as it is: what has
  /// changed since then is for `--refresh` to tune.
  void takeConfiguration(const ProgramSpace &space, const std::string &plain) {
    requireOwnConfiguration(space, configurationFile_, true, kElsewhereWithProgram);
    earlier_ = textOf(configurationFile_);
    std::string usable = earlier_;
    if (!isFor(space, earlier_, configurationFile_)) {
      const Fitted fitted = fitConfiguration(plain, earlier_, configurationFile_);
      if (std::ranges::none_of(fitted.entries, isOfOtherVersion))
        fromToml(space, earlier_, configurationFile_); // says what is wrong with it
      usable = fitted.toml;
      progress_.note(fmt::format("{}: made for another version of the program; it is used as far as it fits",
                                 configurationFile_));
    }
    start_ = kernelSettings(earlier_);
    choices_ = withKernels(usable, "");
  }

  static bool isOfOtherVersion(const FittedEntry &entry) { return entry.title() == "hash" && !entry.isOk(); }

  /// Whether there was something to say in the configuration. `file`: the best variant.
  bool write(const KernelSummary &summary, const std::string &file) {
    const KernelSettings &best = summary.result.best;
    std::string text = withKernels(earlier_, toToml(best, provenance(summary)));
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
  std::optional<TuningLock> lock_; // longer than the journal
  std::unique_ptr<Journal> journal_;
  KernelSettings start_;
  std::string earlier_; // what the configuration says
  std::string choices_; // what variants run with of it, without [kernels]
  Sizes sizes_;
  double seconds_ = 0;
};

} // namespace

int runKernelSession(const TuneOptions &options) { return KernelSession(options).run(); }

} // namespace pbc::tuner
