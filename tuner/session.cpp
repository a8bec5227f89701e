// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session.h"

#include "tuner/accuracy_target.h"
#include "tuner/evaluate/child_process.h"
#include "tuner/evaluate/confinement.h"
#include "tuner/evaluate/examination.h"
#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/memory.h"
#include "tuner/evaluate/meters.h"
#include "tuner/evaluate/outside_run.h"
#include "tuner/evaluate/record.h"
#include "tuner/evaluate/steps.h"
#include "tuner/journal/read_journal.h"
#include "tuner/journal/tuning_lock.h"
#include "tuner/output_files.h"
#include "tuner/report/front_report.h"
#include "tuner/report/page.h"
#include "tuner/report/progress.h"
#include "tuner/report/result_file.h"
#include "tuner/report/words.h"
#include "tuner/session_start.h"
#include "tuner/strategy/refresh.h"
#include "tuner/strategy/seeding.h"
#include "tuner/travel/refresh_plan.h"
#include "tuner/write_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace pbc::tuner {
namespace {

namespace fs = std::filesystem;

constexpr double kPatience = 60; // seconds that the default may take at one size

class Session {
public:
  explicit Session(const TuneOptions &options)
      : options_(options), program_(existingProgram(options.program)), version_(versionOf(program_)),
        progress_(stderr), output_(options.output.empty() ? options.program + ".cfg" : options.output),
        report_(reportPath(options, output_)), sizes_(options.sizes) {
    requireOutputs(options, output_, report_);
  }

  int run() {
    const InterruptGuard guard;
    try {
      if (!work())
        return 0;
    } catch (const TunerError &) {
      if (!stopRequested()) {
        print(); // the bins that have been written
        throw;
      }
    }
    const bool wasStopped = isInterrupted();
    if (results_.empty() && !hasKept_ && !wasStopped)
      throw TunerError(fmt::format(
          "the budget of {:.3g} s was over before anything could be compared; no configuration was written\n"
          "  help: a longer time, --budget=SECONDS, or a smaller size, --n=N: the default alone has to run a "
          "few "
          "times",
          budgetOf(options_)));
    if (results_.empty() && !hasKept_)
      fmt::print(stderr, "pbc tune: stopped before the first measurement; no configuration was written\n");
    print();
    if (const std::string now = versionOf(program_); now != version_)
      progress_.note(fmt::format("{} {} meanwhile: this is of what it was; tune it again{}", options_.program,
                                 now.empty() ? "was deleted" : "was changed",
                                 now.empty() ? " when it is there" : ""));
    return hasWritten_ || !wasStopped ? 0 : stopStatus();
  }

private:
  /// False if there is no result.
  bool work() {
    space_ = describeProgram(program_, options_.program, "", options_.threads);
    start_ = byDefault_ = Configuration::defaults(space_);
    if (!canConfineSignals())
      progress_.note(
          "this system cannot filter system calls (seccomp): a rule that sends signals to its parent can end "
          "the tuning");
    chooseObjective();
    if (!options_.refresh)
      takeOver();
    else if (!planRefresh())
      return false;
    const std::vector<std::string> bins = space_.bins;
    for (std::size_t bin = 0; bin < bins.size() && !isInterrupted(); ++bin) {
      focus(bins, bin);
      limitTime();
      prepare();
      if (!options_.record.empty()) {
        recordSpace();
        return false;
      }
      search();
    }
    return true;
  }

  void print() const {
    if (options_.json && results_.size() > 1)
      fmt::print("[\n{}]\n", fmt::join(results_, ",\n"));
    else
      fmt::print("{}", fmt::join(results_, ""));
    std::fflush(stdout);
  }

  /// Decides which quantities are measured and minimised. Throws TunerError if this machine cannot measure one.
  void chooseObjective() {
    if (!options_.front.empty()) {
      if (space_.goal)
        throw TunerError(fmt::format("{} has accuracy targets: --pareto is for programs without\n"
                                     "  help: --objective=memory (or energy) tunes it to meet the targets",
                                     options_.program));
      front_ = parseFront(options_.front);
      frontFolder(output_);
    } else if (!options_.objective.empty()) {
      objective_ = Objective::parse(options_.objective);
    }
  }

  std::vector<Metric> metrics() const {
    if (front_)
      return {front_->begin(), front_->end()};
    std::vector<Metric> wanted{Metric::Time};
    for (const Metric metric : {Metric::Energy, Metric::Memory})
      if (objective_.wants(metric))
        wanted.push_back(metric);
    return wanted;
  }

  /// Makes the page from the journal alone, as `pbc report` does. An error in writing it does not affect the
  /// result.
  bool writeReport() {
    const StopHeard toTheEnd; // the program is started again with --info
    try {
      writeAtomically(report_, page(gather({options_.program, output_, journal_->path()})));
      return true;
    } catch (const TunerError &problem) {
      progress_.note(fmt::format("there is no report: {}", problem.what()));
      return false;
    }
  }

  /// Takes from an earlier file the values that the tuner must not change. With accuracy bins it takes all
  /// values, because they are nearer to the targets.
  void takeOver() {
    if (options_.record.empty())
      requireOwnConfiguration(space_, output_, !options_.output.empty());
    earlier_ = earlierResult(space_, output_, progress_);
    if (const std::string text = textOf(output_); isFor(space_, text, output_))
      file_.setKernels(kernelSettings(text));
    if (earlier_.empty())
      return;
    if (space_.goal)
      start_ = earlier_.front();
    for (std::size_t i = 0; i < space_.tunables.size(); ++i)
      if (space_.tunables[i].isFixed)
        start_ = start_.withTunable(static_cast<int>(i), earlier_.front().tunables()[i]);
  }

  /// Starts from the stored configuration. False if nothing has to be tuned; this is then reported.
  bool planRefresh() {
    const std::string text = textOf(output_);
    if (text.empty())
      throw TunerError(fmt::format("{}: there is no configuration to refresh\n  help: pbc tune {} makes one",
                                   output_, options_.program));
    const Fitted fitted = fitConfiguration(program_, text, output_);
    const std::optional<Provenance> origin = provenanceOf(text);
    if (origin && options_.objective.empty())
      objective_ = Objective::parse(origin->objective);
    if (origin && options_.n == 0 && options_.sizes.empty() && options_.inputs.empty())
      sizes_ = largestSizes(*origin, space_);
    plan_ = refreshPlan(space_, origin, fitted);
    start_ = fromToml(space_, fitted.toml, output_);
    file_.setKernels(kernelSettings(text));
    for (const std::string &reason : plan_.reasons)
      progress_.note(reason);
    if (!plan_.isNothing())
      return true;
    if (options_.json)
      fmt::print("{}\n",
                 nlohmann::json{{"output", output_}, {"changed", false}, {"up_to_date", true}}.dump(2));
    else
      fmt::print("{}: nothing has changed since it was made\n", output_);
    return false;
  }

  /// Tunes one accuracy bin after the other. They share the transforms that they call; the first bin decides
  /// those.
  void focus(const std::vector<std::string> &bins, std::size_t bin) {
    begin_ = steadySeconds();
    space_ = describeProgram(program_, options_.program, bins[bin], options_.threads);
    const auto isDecided = [&](const std::string &transform) {
      return transform != space_.main &&
             (bin > 0 || std::find(bins.begin(), bins.end(), transform) != bins.end());
    };
    hasStart_ = start_ != Configuration::defaults(space_);
    for (std::size_t i = 0; i < space_.sites.size(); ++i) {
      space_.sites[i].initial = start_.selectors()[i];
      space_.sites[i].isFixed = isDecided(space_.sites[i].transform);
    }
    for (std::size_t i = 0; i < space_.tunables.size(); ++i) {
      space_.tunables[i].initial = start_.tunables()[i];
      space_.tunables[i].isFixed |= isDecided(space_.tunables[i].transform);
    }
    budget_ = budgetOf(options_) / static_cast<double>(bins.size());
    if (options_.refresh) {
      const int all = std::max(space_.openDecisions(), 1);
      plan_.fix(space_);
      const double share = plan_.isOtherMachine ? 0 : static_cast<double>(space_.openDecisions()) / all;
      if (options_.budget <= 0 && options_.trials == 0)
        budget_ *= std::max(share, 0.1);
    }
  }

  /// Work that is still running when the budget is over is stopped a little after the planned end of the search,
  /// because its last steps cannot be planned to the millisecond. If measurements are counted, or a space is
  /// recorded, time is limited only if the user asks for it.
  void limitTime() {
    constexpr double kMore = 0.04, kAtLeast = 0.3; // of the budget, and seconds
    timeLimit_.reset();
    if (options_.budget > 0 || (options_.trials == 0 && options_.record.empty()))
      timeLimit_.emplace(begin_ + (1 + kMore) * budget_ + kAtLeast);
  }

  /// The moment of the steady clock at which the winner's run from outside must be over.
  double outsideUntil() const {
    constexpr double kMore = 0.1, kAtLeast = 1, kWithoutBudget = 60;
    return timeLimit_ ? begin_ + (1 + kMore) * budget_ + kAtLeast
                      : steadySeconds() + kWithoutBudget + budget_;
  }

  /// Whether a user's run on these inputs has the full size: workers may read only a part of input files.
  bool isAsWhole() { return options_.inputs.empty() || (options_.n == 0 && sizes_.empty()); }

  void startFrom(const Configuration &configuration) {
    for (std::size_t i = 0; i < space_.sites.size(); ++i)
      space_.sites[i].initial = configuration.selectors()[i];
    for (std::size_t i = 0; i < space_.tunables.size(); ++i)
      space_.tunables[i].initial = configuration.tunables()[i];
  }

  /// The sizes at which tuning continues; the search starts from a configuration that meets the target there.
  std::vector<Sizes> meetTarget(const std::vector<Sizes> &sizes) {
    const double deadline = steadySeconds() + 0.4 * budget_;
    target_.emplace(*worker_, workerOptions_, program_, space_, kPatience);
    std::vector<Sizes> met = target_->reach(
        sizes, [&] { return !stopRequested() && steadySeconds() < deadline; },
        [&](const std::string &line) { progress_.note(line); });
    startFrom(target_->reached());
    return met;
  }

  /// Seconds that the default may take at first, from the budget.
  double patience() const {
    constexpr double kTimes = 4, kLeast = 10;
    return std::clamp(kTimes * budget_, kLeast, kPatience);
  }

  /// Whether the budget has time for only few runs of the default at the full size. Then that is the only size,
  /// and the default runs there first, because growing from small sizes takes about as long.
  bool takesMost() {
    constexpr double kFewRuns = 15;
    const auto first = worker_->prepare(full_, patience());
    if (!first || kFewRuns * first.value->seconds < begin_ + budget_ - steadySeconds())
      return false; // the next step reports the failure
    steps_ = {{full_, first.value->n, first.value->seconds}};
    return true;
  }

  /// The longest run, in seconds, at a size that the tuner chooses; the budget has time for several of them.
  double longestRun() const {
    constexpr double kRuns = 25, kLongest = 1;
    return std::min(budget_ / kRuns, kLongest);
  }

  void prepare() {
    // Done before anything is measured: the journal lies beside the result, so this shows whether files may
    // be written there.
    const std::string journal = journalPath(output_);
    if (!lock_)
      lock_.emplace(output_, journal);
    journal_ = std::make_unique<Journal>(journal);
    workerOptions_ = {version_,
                      options_.inputs,
                      options_.seed,
                      options_.threads,
                      {options_.memoryMegabytes > 0 ? options_.memoryMegabytes << 20 : memoryShare()},
                      options_.compileLimit > 0 ? options_.compileLimit : kLongestCompilation,
                      space_.goal ? space_.main : ""};
    worker_ = std::make_unique<Worker>(program_, workerOptions_);
    if (hasStart_ && !options_.refresh)
      worker_->setBase(toToml(space_, Configuration::defaults(space_), {}));
    full_ =
        fullSizes(*worker_, space_, {options_.n, sizes_, !options_.inputs.empty(), longestRun()}, patience());
    progress_.note(fmt::format("tuning {} ({} open decisions) up to {}",
                               space_.goal ? space_.main : space_.program, space_.openDecisions(),
                               nameOf(full_)));
    std::vector<Sizes> sizes = growingSizes(full_, space_.params);
    if (!space_.goal && timeLimit_ && takesMost())
      return;
    if (space_.goal)
      sizes = meetTarget(sizes);
    const auto note = [&](const std::string &line) { progress_.note(line); };
    PreparedSteps prepared = prepareSteps(*worker_, sizes, patience(), note);
    steps_ = std::move(prepared.steps);
    if (target_)
      target_->verifyAlso(std::move(prepared.tooQuick), sizes.front());
  }

  /// A stored configuration may be wrong: the program or the file may have changed. It is the reference of a
  /// refresh, so it is examined before anything runs for long. If it fails, the decisions that the change
  /// touches go back to the default; if that fails, too, all decisions do.
  void mendStart() {
    constexpr double kShare = 0.2, kLeast = 3; // of the budget, and seconds
    Examination examination(Worker(program_, workerOptions_), space_, steps_);
    const double deadline = steadySeconds() + std::max(kShare * budget_, kLeast);
    const auto misfitOf = [&](const Configuration &configuration) {
      return examination.examine({configuration}, Depth::Thorough, [&] { return deadline - steadySeconds(); })
          .front();
    };
    const auto misfit = misfitOf(Configuration::defaults(space_));
    if (!misfit || stopRequested())
      return;
    progress_.note(fmt::format("the stored configuration {} at {}: this starts from the default instead",
                               misfit->rejected.reason, misfit->size));
    startsAnew_ = true;
    if (const Configuration open = openByDefault(); !misfitOf(open))
      return startFrom(open);
    const double begin = begin_;
    plan_.touchAll(space_);
    start_ = byDefault_;
    focus({space_.main}, 0);
    begin_ = begin;
  }

  void search() {
    if (options_.refresh && !space_.goal)
      mendStart();
    std::vector<TestSize> sizes;
    for (const Step &step : steps_)
      sizes.push_back({nameOf(step.sizes), step.n, step.defaultSeconds});
    decideThreadsAt(space_, sizes.back().n);
    const std::string machine = machineName();
    const std::string defaults = toToml(space_, Configuration::defaults(space_), {options_.threads, {}});
    const Meters meters = requireMeters(*worker_, metrics(), defaults);
    if (!meters.energy.empty())
      progress_.note(fmt::format("energy is that of {}: of all that runs on this machine",
                                 fmt::join(meters.energy, ", ")));
    WorkerEvaluator runs(space_, steps_, *worker_, journal_.get(),
                         {machine, conditionsKey(options_, space_), kPatience, !options_.fresh,
                          options_.threads, metrics(), meters.energyWindow,
                          options_.inputs.empty() && !space_.goal});
    ObjectiveEvaluator costs(space_, sizes, runs, costOf(objective_));
    if (meters.energyWindow > 0)
      costs.setMostRuns(2);
    Examination examination(Worker(program_, workerOptions_), space_, steps_);
    if (!space_.goal) // results of variable accuracy may differ; verifyAccuracy() checks them
      runs.setExamination(&examination);
    OutsideRun outside(program_, workerOptions_, space_);
    if (isAsWhole())
      runs.setOutside(&outside, outsideUntil());
    const MachineNoise noise = noiseNow();
    const bool isRefresh = options_.refresh && !startsAnew_; // otherwise compared with the default
    progress_.note("noise: " + inWords(noise, isRefresh ? "stored configuration" : "default"));
    if (!space_.goal && !isRefresh && !noise.disagreement.empty())
      throw TunerError(fmt::format(
          "{}: the default, run again on the same inputs, {}\n"
          "  help: alternatives are compared with the default, which must give the same each time:\n"
          "        take random numbers from the language (rand01), which are the same in each run,\n"
          "        or say how exact results must be (accuracy_metric)",
          options_.program, noise.disagreement));
    TuneSettings settings;
    // The evaluator's clock starts now, but the user's budget started with the command.
    const double spent = std::min(steadySeconds() - begin_, 0.5 * budget_);
    constexpr double kSearch = 0.95; // the last race seldom ends to the second
    settings.deadline = (space_.goal ? 0.6 : kSearch) * (budget_ - spent);
    settings.seed = static_cast<std::uint64_t>(options_.seed);
    settings.ties = objective_.isTime() || options_.refresh ? Ties::Default : Ties::Previous;
    settings.trials = options_.trials;
    settings.strategy = strategyFor(options_, budget_, sizes.back().defaultSeconds);
    if (options_.effort == "full")
      settings.population = 20;
    if (!options_.refresh)
      settings.seeds = storedSeeds(space_, readJournal(journal_->path()),
                                   {machine, sizes.back().name + conditionsKey(options_, space_)}, 4);
    progress_.setIsTime(!front_ && objective_.isTime());
    if (front_)
      return searchFront(sizes, settings, runs, costs);

    Summary summary;
    summary.machine = machine;
    summary.noise = noise;
    summary.objective = objective_;
    std::vector<Configuration> earlier;
    if (options_.refresh)
      earlier = {openByDefault()};
    else if (!space_.goal)
      earlier = earlier_;
    const bool isNear = options_.refresh && plan_.isOtherMachine;
    const bool isInTwoParts = isNear && !plan_.touched.empty();
    Evaluator &evaluator = objective_.isTime() ? static_cast<Evaluator &>(runs) : costs;
    TuneSettings first = settings;
    if (isInTwoParts) {
      first.deadline /= 2;
      settings.trials = (settings.trials + 1) / 2; // 0: no limit
      first.trials = settings.trials;
    }
    summary.result = (isNear ? refresh : tune)(space_, sizes, earlier, first, evaluator, progress_);
    if (isInTwoParts && !evaluator.stopped()) {
      // Decisions that are new in this version were never tuned anywhere.
      startFrom(summary.result.best);
      plan_.fixOthers(space_);
      summary.result = tune(space_, sizes, earlier, settings, evaluator, progress_);
    }
    if (!objective_.isTime()) {
      summary.byDefault = costs.typical(Configuration::defaults(space_), summary.result.size);
      summary.tuned = costs.typical(summary.result.best, summary.result.size);
    }
    if (runs.stopped() && runs.runs() == 0 && runs.remembered() == 0)
      return; // there is nothing to say
    summary.isRefresh = isRefresh;
    summary.program = options_.program;
    summary.output = output_;
    summary.journal = journal_->path();
    summary.sizes = sizes[summary.result.size].name;
    summary.fullSizes = nameOf(full_);
    summary.tunedSizes = tunedSizes(runs, summary.result.size);
    summary.effort = effortInWords(summary.result.strategy);
    summary.elapsed = runs.elapsed();
    summary.runs = runs.runs();
    summary.remembered = runs.remembered();
    summary.stopped = isInterrupted();
    summary.isCut = runs.stopped() && !summary.stopped;
    summary.examined = examination.inputs();
    if (!runs.notes().problem().empty())
      progress_.note(runs.notes().problem());
    if (summary.result.changed && !outside.remark().empty())
      progress_.note(fmt::format("the result was not run once more from outside: {}", outside.remark()));
    if (target_)
      target_->verify(summary, steps_, metrics());
    write(summary, earlier.empty() ? nullptr : &earlier.front());
  }

  /// "quick (evolutionary), 50 s, seed 1"
  std::string effortInWords(const std::string &strategy) const {
    return fmt::format("{}{}, {:.0f} s, seed {}", options_.effort,
                       strategy.empty() ? "" : " (" + strategy + ")", budget_, options_.seed);
  }

  void searchFront(const std::vector<TestSize> &sizes, const TuneSettings &settings, WorkerEvaluator &runs,
                   ObjectiveEvaluator &costs) {
    FrontReport report;
    report.program = options_.program;
    report.machine = machineName();
    report.effort = effortInWords("");
    report.metrics = *front_;
    report.result = findFront(space_, sizes, *front_, settings, costs, progress_);
    report.size = sizes[static_cast<std::size_t>(report.result.size)].name;
    report.elapsed = runs.elapsed();
    report.runs = runs.runs();
    report.remembered = runs.remembered();
    report.stopped = isInterrupted();
    // A front that was stopped early would only replace the better one of a longer tuning.
    if (!report.result.isWhole && (!earlier_.empty() || fs::exists(frontFile(0)))) {
      progress_.note("stopped before the last runs: the earlier configurations stay");
      hasKept_ = true;
      return;
    }
    writeFront(report, tunedSizes(runs, report.result.size));
    results_.push_back(options_.json ? asJson(space_, report) : asText(space_, report));
  }

  /// The file of the front's point with this index.
  std::string frontFile(std::size_t point) const {
    return (frontFolder(output_) / fmt::format("{}.cfg", point + 1)).string();
  }

  void writeConfiguration(const std::string &path, const std::string &text) {
    try {
      writeAtomically(path, text);
    } catch (const TunerError &problem) {
      throw unwritten(problem, text);
    }
    hasWritten_ = true;
  }

  /// Writes a file for each point, and the page; the first point becomes the configuration. Files of an
  /// earlier front are removed.
  void writeFront(FrontReport &report, const std::vector<std::string> &tuned) {
    if (report.result.points.empty())
      return;
    report.page = report_;
    for (std::size_t i = 0; i < report.result.points.size(); ++i) {
      Summary summary = summaryOf(report, i);
      summary.tunedSizes = tuned;
      const std::string text = fileText(summary);
      if (i == 0)
        writeConfiguration(output_, text);
      report.files.push_back(frontFile(i));
      writeConfiguration(report.files.back(), text);
    }
    std::error_code problem;
    for (std::size_t i = report.result.points.size(); fs::remove(frontFile(i), problem); ++i) {
    } // all files in this folder belong to the front: frontFolder()
    if (!report.page.empty())
      writeAtomically(report.page, frontPage(space_, report));
  }

  void recordSpace() {
    std::vector<TestSize> sizes;
    constexpr std::size_t kSizes = 4; // the full one and some below, so that growing sizes can be compared
    const std::size_t left = steps_.size() > kSizes ? steps_.size() - kSizes : 0;
    const std::vector<Step> steps(steps_.begin() + static_cast<std::ptrdiff_t>(left), steps_.end());
    for (const Step &step : steps)
      sizes.push_back({nameOf(step.sizes), step.n, step.defaultSeconds});
    WorkerEvaluator evaluator(space_, steps, *worker_, nullptr,
                              {machineName(), "", kPatience, false, options_.threads});
    RecordSettings settings;
    settings.points = options_.trials > 0 ? options_.trials : settings.points;
    MeasuredSpace measured = record(space_, sizes, outputOf({program_, "--info"}, 20), settings, evaluator,
                                    [&](const std::string &line) { progress_.note(line); });
    measured.machine = machineName();
    writeAtomically(options_.record, toJson(measured));
    fmt::print("{}: {} points at {} sizes, in {:.0f} s\n", options_.record, measured.points.back().size(),
               sizes.size(), evaluator.elapsed());
  }

  /// Measured at the full size, which the worker was prepared for last.
  MachineNoise noiseNow() {
    constexpr double kShare = 0.05; // of the budget
    const Step &full = steps_.back();
    if (!worker_->isPreparedFor(full.sizes) && !worker_->prepare(full.sizes, kPatience))
      return {};
    return measureNoise(*worker_, toToml(space_, Configuration::defaults(space_), {options_.threads, {}}),
                        full.defaultSeconds, timeLimit_ ? kShare * budget_ : kPatience);
  }

  /// `earlier`: the configuration in the file.
  void write(Summary &summary, const Configuration *earlier) {
    const TuneResult &result = summary.result;
    // After an early stop, the default would only replace the better result of a longer tuning.
    summary.kept = (summary.stopped || summary.isCut) && !result.raced && earlier &&
                   (!result.changed || summary.sizes != summary.fullSizes);
    if (summary.kept) {
      summary.result.best = *earlier;
    } else {
      start_ = result.best;
      writeConfiguration(output_, fileText(summary));
    }
    if (summary.stopped)
      progress_.note("stopped; the best so far is kept");
    else if (summary.isCut && !result.raced)
      progress_.note(fmt::format(
          "the budget of {:.3g} s was over before the last race; the best so far is kept", budget_));
    if (!report_.empty() && writeReport())
      summary.report = report_;
    results_.push_back(options_.json ? asJson(space_, summary) : asText(space_, summary));
  }

  std::string fileText(const Summary &summary) {
    const std::string effort = options_.refresh && !startsAnew_ ? "refresh" : options_.effort;
    return file_.text(space_, summary, {effort, budget_, options_.seed}, options_.threads);
  }

  /// The open decisions at their defaults; fixed ones stay as they are stored.
  Configuration openByDefault() const {
    Configuration result = byDefault_;
    for (std::size_t i = 0; i < space_.sites.size(); ++i)
      if (space_.sites[i].isFixed)
        result = result.withSelector(static_cast<int>(i), space_.sites[i].initial);
    for (std::size_t i = 0; i < space_.tunables.size(); ++i)
      if (space_.tunables[i].isFixed)
        result = result.withTunable(static_cast<int>(i), space_.tunables[i].initial);
    return result;
  }

  /// Names of the sizes up to this one at which something was measured.
  std::vector<std::string> tunedSizes(const WorkerEvaluator &runs, int last) const {
    std::vector<std::string> names;
    for (const int size : runs.measuredSizes())
      if (size <= last)
        names.push_back(nameOf(steps_[static_cast<std::size_t>(size)].sizes));
    return names;
  }

  const TuneOptions &options_;
  std::string program_, version_; // its path, and the version of that file
  Progress progress_;
  std::string output_, report_; // report_ is empty if there is none
  ProgramSpace space_;
  std::optional<TuningLock> lock_; // must outlive the journal
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Worker> worker_;
  Sizes sizes_; // the sizes asked for; with --refresh, otherwise those that were tuned
  Sizes full_;
  std::vector<Step> steps_; // the steps that are worth measuring
  WorkerOptions workerOptions_;
  ResultFile file_;
  RefreshPlan plan_;                     // with --refresh
  Configuration byDefault_;              // the configuration that the program has without any file
  bool startsAnew_ = false;              // the stored configuration fails
  std::vector<Configuration> earlier_;   // the configuration in the file, if any
  Configuration start_;                  // includes the decisions made so far
  std::optional<AccuracyTarget> target_; // of this bin
  Objective objective_;
  std::optional<std::array<Metric, 2>> front_;
  bool hasStart_ = false;
  bool hasWritten_ = false; // a configuration
  bool hasKept_ = false;    // files of an earlier front
  double budget_ = 0;       // seconds for one accuracy bin
  double begin_ = 0;        // when it began, on the steady clock
  std::optional<TimeLimit> timeLimit_;
  std::vector<std::string> results_;
};

} // namespace

int runSession(const TuneOptions &options) { return Session(options).run(); }

} // namespace pbc::tuner
