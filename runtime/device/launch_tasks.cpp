// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tasks of one launch, in the order in which they are queued: prepare, copy-ins, execute.
#include "runtime/device/beside.h"
#include "runtime/device/launch_rounds.h"
#include "runtime/device/tasks.h"
#include <algorithm>

namespace pb::device {
namespace {

/// Keeps a transient's staging memory until the device no longer uses it, and copies results from it.
class TransientEnd : public Task {
public:
  TransientEnd(const char *name, std::shared_ptr<Submission> submission, std::shared_ptr<Transient> transient,
               bool writes)
      : Task("completion", name, false), submission_(std::move(submission)), transient_(std::move(transient)),
        writes_(writes) {
    isOfDevice = true;
  }

  Outcome run(Management &m) override {
    for (const EventRef &e : transient_->events)
      if (!m.call([&] { return e->isDone(); }))
        return Outcome::Again;
    if (writes_ && !submission_->isFinished())
      transient_->scatter();
    m.putBack(std::move(transient_->buffer), transient_->bytes());
    if (writes_) {
      --submission_->ownWrites;
      submission_->partDone();
    }
    return Outcome::Done;
  }
  bool drop(Management &m) override { return transient_->isOver(m); }
  EventRef awaited() const override {
    return transient_->events.empty() ? nullptr : transient_->events.back(); // of copies out, or the kernel
  }

private:
  const std::shared_ptr<Submission> submission_;
  const std::shared_ptr<Transient> transient_;
  const bool writes_;
};

/// The state that the tasks of one launch share.
struct Progress {
  Progress(std::shared_ptr<Submission> s, std::size_t index, bool begins, bool beside)
      : submission(std::move(s)), launch(submission->launches[index]), beginsFork(begins), isBeside(beside),
        records(launch.matrices.size()), transients(launch.matrices.size()) {}

  /// Whether this launch or one before it failed.
  bool isRefused() const { return submission->result.why.has_value(); }
  void giveScratchBack(Management &m) {
    if (scratch)
      m.putBack(std::move(scratch), launch.teams.bytes);
  }
  void refuse(Management &m, const DeviceError &why) {
    submission->result.why = DeviceError(why.failure(), std::string(launch.name) + ": " + why.what());
    unpin(m);
    giveScratchBack(m);
    for (const auto &t : transients)
      if (t)
        m.later(std::make_unique<TransientEnd>(launch.name, submission, t, false));
  }
  bool transientsAreOver(Management &m) const {
    return std::all_of(transients.begin(), transients.end(),
                       [&](const auto &t) { return !t || t->isOver(m); });
  }
  void unpin(Management &m) {
    for (const auto &r : records)
      if (r && isPinned)
        r->unpin(m.index());
    isPinned = false;
  }

  const std::shared_ptr<Submission> submission;
  const Launch &launch;
  const bool beginsFork;                              // beside.h: others may run beside it
  bool isBeside;                                      // it may run beside others
  std::vector<std::shared_ptr<Record>> records;       // of each matrix, or
  std::vector<std::shared_ptr<Transient>> transients; // for matrices that no storage owns
  std::unique_ptr<Buffer> scratch;                    // for partial results of cells
  bool isPinned = false;
};

class LaunchTask : public Task {
public:
  LaunchTask(const char *kind, std::shared_ptr<Progress> p)
      : Task(kind, p->launch.name, true), progress_(std::move(p)) {}

  Outcome run(Management &m) override {
    if (progress_->isRefused())
      return skipped();
    try {
      return step(m);
    } catch (const DeviceError &e) {
      if (e.failure() == Failure::Lost)
        throw;
      progress_->refuse(m, e);
      return skipped();
    }
  }
  bool drop(Management &m) override {
    if (isAcross_ && !asked_->isFinished())
      return false; // it writes this device's buffer
    progress_->unpin(m);
    return progress_->transientsAreOver(m);
  }

protected:
  virtual Outcome step(Management &) = 0;
  virtual Outcome skipped() { return Outcome::Done; }
  /// False: not yet. Throws the reason if the launch is impossible.
  bool bringIn(Management &m, std::size_t k);
  /// Asks the device that has the cells for them, now or, while commands use this device's buffer, later.
  void ask(Management &m, std::size_t k, Management &owner);
  /// False: the copy from another device is under way. Throws if that device was lost.
  bool endAcross(Management &m, Record &record);

  const std::shared_ptr<Progress> progress_;
  std::shared_ptr<Request> asked_; // the request to another device to copy out, or, if isAcross_, to this one
  bool isAcross_ = false, isByHost_ = false; // isByHost_: a copy between devices was refused
};

class Prepare : public LaunchTask {
public:
  explicit Prepare(std::shared_ptr<Progress> p) : LaunchTask("prepare", std::move(p)) {}

protected:
  Outcome step(Management &m) override {
    Progress &p = *progress_;
    if (!hasRecords_) {
      hasRecords_ = p.isPinned = true;
      for (std::size_t k = 0; k < p.records.size(); ++k)
        if (Storage *owner = p.launch.matrices[k].place.matrix.owner) {
          p.records[k] = m.table().recordOf(owner);
          p.records[k]->pin(m.index(), m.nextUse());
          p.isBeside = p.isBeside && p.records[k]->buffer(m.index());
        }
    }
    for (std::size_t k = 0; k < p.records.size(); ++k)
      if (p.records[k] ? !m.provide(*p.records[k]) : !provideTransient(m, k))
        return Outcome::Again;
    if (p.launch.teams.bytes && !p.scratch) {
      bool wait = false;
      p.scratch = m.allocate(p.launch.teams.bytes, wait);
      if (wait)
        return Outcome::Again;
    }
    return Outcome::Done;
  }

private:
  bool provideTransient(Management &m, std::size_t k) {
    Progress &p = *progress_;
    if (p.transients[k])
      return true;
    if (p.submission->ownWrites)
      return false; // an earlier launch may still have to write it
    auto t = std::make_shared<Transient>(p.launch.matrices[k]);
    bool wait = false;
    t->buffer = m.allocate(t->bytes(), wait);
    if (wait)
      return false;
    p.transients[k] = std::move(t);
    return true;
  }
  bool hasRecords_ = false;
};

bool LaunchTask::bringIn(Management &m, std::size_t k) {
  if (isAcross_ && !endAcross(m, *progress_->records[k]))
    return false; // the cells may have reached the processor meanwhile, but this device's buffer is being written
  Progress &p = *progress_;
  const LaunchMatrix &a = p.launch.matrices[k];
  Record &record = *p.records[k];
  const CopyPlan plan = record.planIn(m.index(), a.place, a.reads ? &a.read : nullptr,
                                      a.writes ? &a.written : nullptr, a.covers);
  switch (plan.state) {
  case CopyPlan::State::Nothing:
    return true;
  case CopyPlan::State::Go:
    m.copyIn(p.records[k], plan, p.launch.name);
    return true;
  case CopyPlan::State::Lost:
    throw DeviceError(Failure::Launch, "what it reads was lost with another device");
  case CopyPlan::State::Wait:
    break;
  }
  Manager *owner = plan.owner < 0 ? nullptr : m.table().manager(plan.owner);
  if (owner && (!asked_ || asked_->isFinished()))
    ask(m, k, owner->management());
  return false;
}

bool LaunchTask::endAcross(Management &m, Record &record) {
  if (!asked_->isFinished())
    return false;
  isAcross_ = false;
  isByHost_ = asked_->error().has_value();
  if (isByHost_ && asked_->error()->failure() == Failure::Lost) {
    m.giveUpBuffer(record);
    throw DeviceError(Failure::Launch, "the device that had what it reads was lost while it was copied");
  }
  return true;
}

void LaunchTask::ask(Management &m, std::size_t k, Management &owner) {
  Progress &p = *progress_;
  const LaunchMatrix &a = p.launch.matrices[k];
  Record &record = *p.records[k];
  isAcross_ = !isByHost_ && !record.isShared(m.index()) && !record.isShared(owner.index()) &&
              m.call([&] { return owner.reaches(m); });
  // The commands of the other device know nothing of this one's.
  if (isAcross_ && !m.call([&] { return m.device().isIdle(*record.buffer(m.index())); })) {
    isAcross_ = false;
    m.needsFlush();
    return;
  }
  asked_ = std::make_shared<Request>();
  Place place = placeOf(a.place.matrix, a.place.rank, a.place.elementBytes);
  if (!a.reads || !a.writes)
    place.cells = a.reads ? a.read : a.written;
  if (isAcross_)
    owner.add(asked_, one(std::make_unique<CopyAcross>(place, p.launch.name, m, asked_)));
  else
    owner.add(asked_, one(std::make_unique<Settle>(place, true, false, asked_)));
}

class CopyIn : public LaunchTask {
public:
  CopyIn(std::shared_ptr<Progress> p, std::size_t k) : LaunchTask("copy-in", std::move(p)), matrix_(k) {}

protected:
  Outcome step(Management &m) override {
    Progress &p = *progress_;
    if (p.records[matrix_])
      return bringIn(m, matrix_) ? Outcome::Done : Outcome::Again;
    const std::shared_ptr<Transient> &t = p.transients[matrix_];
    for (const Transfer &part : t->toDevice())
      t->events.push_back(m.call([&] { return m.device().copyIn(*t->buffer, part, t->staging()); }));
    m.needsFlush(); // the launch behind it may be refused
    ++m.count.copiesIn;
    return Outcome::Done;
  }

private:
  const std::size_t matrix_;
};

class Execute : public LaunchTask {
public:
  explicit Execute(std::shared_ptr<Progress> p) : LaunchTask("execute", std::move(p)) {}

protected:
  Outcome step(Management &m) override {
    const Launch &l = progress_->launch;
    if (progress_->beginsFork && round_ == 0)
      m.call([&] { m.device().fork(); });
    if (pb::isEmpty(l.box))
      return end(m);
    for (std::size_t k = 0; k < l.matrices.size(); ++k) {
      const auto &record = progress_->records[k];
      if (!record || !l.matrices[k].writes)
        continue;
      if (l.matrices[k].covers && !bringIn(m, k)) // on no lattice
        return Outcome::Again;
      if (record->isShared(m.index()) && record->isInUseByOthers(m.index(), written(k)))
        return Outcome::Again; // this kernel writes the processor's memory
    }
    if (!rounds_)
      makeArguments(m);
    while (round_ < rounds_->count()) {
      if (m.isFull())
        return Outcome::Again;
      try {
        const long given = round_ < oneByOne_ ? giveOne(m) : giveSome(m);
        round_ += given;
        m.count.launches += static_cast<unsigned long>(given);
      } catch (const DeviceError &e) {
        // A function of a library allocates memory of its own before it begins.
        const auto room = e.failure() == Failure::OutOfMemory ? m.makeRoom(0) : Management::Room::None;
        if (room == Management::Room::Later)
          return Outcome::Again;
        if (room == Management::Room::None)
          failed(m, e);
        continue;
      }
      m.launched(event_, l);
      m.needsFlush();
    }
    try {
      note(m);
    } catch (const DeviceError &e) {
      throw DeviceError(Failure::Lost, e.what()); // the launch was given and cannot be withdrawn
    }
    return end(m);
  }

  Outcome skipped() override {
    progress_->submission->partDone();
    return Outcome::Done;
  }

private:
  Outcome end(Management &m) {
    if (progress_->launch.end)
      progress_->launch.end->one();
    progress_->giveScratchBack(m); // its next user is ordered after this launch
    progress_->unpin(m);
    ++progress_->submission->result.count;
    progress_->submission->partDone();
    return Outcome::Done;
  }

  void makeArguments(Management &m) {
    const Launch &l = progress_->launch;
    for (std::size_t k = 0; k < l.matrices.size(); ++k) {
      const Place &p = l.matrices[k].place;
      const auto &record = progress_->records[k];
      const auto &transient = progress_->transients[k];
      const long bytes =
          record ? static_cast<const char *>(p.matrix.base) - record->data() : transient->offset();
      if (bytes % p.elementBytes)
        throw DeviceError(Failure::Launch,
                          "argument " + std::to_string(k + 1) + " begins between two elements");
      Buffer &buffer = record ? *record->buffer(m.index()) : *transient->buffer;
      arguments_.push_back(l.matrices[k].writes ? Argument::writes(buffer) : Argument::reads(buffer));
      arguments_.push_back(Argument::of(bytes / p.elementBytes));
      for (int d = 0; d < p.rank; ++d)
        arguments_.push_back(Argument::of(p.matrix.stride[d]));
      for (int d = 0; l.matrices[k].isCopy && d < p.rank; ++d)
        arguments_.push_back(Argument::of(p.matrix.extent[d]));
    }
    if (!l.rows) // whose commands have values of their own
      for (const long v : l.values)
        arguments_.push_back(Argument::of(v));
    rounds_.emplace(l, arguments_, progress_->scratch ? progress_->scratch.get() : &anyWritten(m));
  }

  static unsigned long itemsOf(const Grid &grid) {
    return static_cast<unsigned long>(grid.items[0]) * static_cast<unsigned long>(grid.items[1]) *
           static_cast<unsigned long>(grid.items[2]);
  }

  // Both return how many rounds the device was given.
  long giveOne(Management &m) {
    const Launch &l = progress_->launch;
    const Grid grid = rounds_->prepare(round_, arguments_);
    Kernel *const own = kernelOfPart(round_);
    event_ = m.call([&] {
      const LaunchesBeside beside(progress_->isBeside ? &m.device() : nullptr);
      return m.device().launch(own ? *own : *l.kernel, arguments_, grid);
    });
    m.count.items += itemsOf(grid);
    return 1;
  }
  /// That of a part whose groups have another shape, or of a block of rows; null: the launch's.
  Kernel *kernelOfPart(long round) const {
    if (const RowsLaunch *rows = progress_->launch.rows.get()) {
      const auto what = rows->commands[static_cast<std::size_t>(round)].what;
      return what == RowsLaunch::Command::What::Start    ? rows->start.kernel.get()
             : what == RowsLaunch::Command::What::Finish ? rows->finish.kernel.get()
                                                         : nullptr;
    }
    const std::vector<LaunchPart> &parts = progress_->launch.parts;
    return parts.empty() ? nullptr : parts[static_cast<std::size_t>(round)].kernel.get();
  }
  /// A chain of rounds, if the device takes it as one command; else one.
  long giveSome(Management &m) {
    const Launch &l = progress_->launch;
    const long some = std::min(rounds_->count() - round_, m.longestChain());
    if (some > 1) {
      std::vector<ChainLaunch> chain;
      for (long k = round_; k < round_ + some; ++k) {
        const Grid grid = rounds_->prepare(k, arguments_);
        chain.push_back(
            {arguments_, grid, l.parts.empty(), kernelOfPart(k)}); // parts have nothing to do with each other
      }
      try {
        if (EventRef event = m.call([&] {
              const LaunchesBeside beside(progress_->isBeside ? &m.device() : nullptr);
              return m.device().launchChain(*l.kernel, chain);
            })) {
          event_ = std::move(event);
          for (const ChainLaunch &given : chain)
            m.count.items += itemsOf(given.grid);
          m.gaveChain();
          return some;
        }
      } catch (const DeviceError &e) {
        if (e.failure() != Failure::Chain)
          throw;
        m.giveUpChains(e);
      }
    }
    oneByOne_ = round_ + some;
    return giveOne(m);
  }

  /// A buffer of the right kind for an argument that this kernel does not use.
  Buffer &anyWritten(Management &m) const {
    std::size_t k = 0;
    while (!progress_->launch.matrices[k].writes)
      ++k;
    return progress_->records[k] ? *progress_->records[k]->buffer(m.index())
                                 : *progress_->transients[k]->buffer;
  }

  /// Earlier rounds may have overwritten data; this can be undone only if the host has the old data.
  [[noreturn]] void failed(Management &m, const DeviceError &e) {
    const Launch &l = progress_->launch;
    bool isLost = e.failure() == Failure::Lost;
    if (round_ > 0)
      for (std::size_t k = 0; k < l.matrices.size(); ++k)
        if (progress_->records[k] && l.matrices[k].writes)
          isLost |= !progress_->records[k]->forgetWritten(m.index(), written(k));
    throw DeviceError(isLost ? Failure::Lost : e.failure(), e.what());
  }

  Place written(std::size_t k) const {
    Place p = progress_->launch.matrices[k].place;
    p.cells = progress_->launch.matrices[k].written;
    return p;
  }

  /// Records in the table what will be valid, and begins copies.
  void note(Management &m) {
    const Launch &l = progress_->launch;
    for (std::size_t k = 0; k < l.matrices.size(); ++k)
      if (progress_->records[k] && l.matrices[k].writes)
        progress_->records[k]->wrote(m.index(), written(k));
    for (std::size_t k = 0; k < l.matrices.size(); ++k) {
      const LaunchMatrix &a = l.matrices[k];
      const auto &record = progress_->records[k];
      if (!record) {
        endTransient(m, k);
        continue;
      }
      if (record->isShared(m.index()))
        for (auto &flight : record->planShared(m.index(), a.place, a.reads ? &a.read : nullptr,
                                               a.writes ? &a.written : nullptr))
          m.sharedUse(record, std::move(flight), event_);
      if (!a.writes || !a.copiesOut)
        continue;
      // Everything that the host lacks of the matrix, because earlier launches may have left parts of it on
      // the device.
      const Place all = placeOf(a.place.matrix, a.place.rank, a.place.elementBytes);
      const CopyPlan plan = record->planOut(m.index(), &all, true, false, nullptr);
      if (plan.state == CopyPlan::State::Go)
        m.copyOut(record, plan, l.name, l.end);
      else if (plan.state == CopyPlan::State::Wait)
        m.later(std::make_unique<Settle>(all, true, false, nullptr));
    }
  }

  void endTransient(Management &m, std::size_t k) {
    const LaunchMatrix &a = progress_->launch.matrices[k];
    const std::shared_ptr<Transient> &t = progress_->transients[k];
    t->events.push_back(event_);
    if (a.writes) {
      for (const Transfer &part : t->toHost())
        t->events.push_back(m.call([&] { return m.device().copyOut(*t->buffer, part, t->staging()); }));
      ++m.count.copiesOut;
      ++progress_->submission->left;
      ++progress_->submission->ownWrites;
    }
    m.later(std::make_unique<TransientEnd>(progress_->launch.name, progress_->submission, t, a.writes));
  }

  std::vector<Argument> arguments_;
  std::optional<LaunchRounds> rounds_;
  long round_ = 0, oneByOne_ = 0; // rounds before oneByOne_ are no part of a chain
  EventRef event_;
};

} // namespace

std::vector<TaskPointer> tasksOf(const std::shared_ptr<Submission> &submission) {
  std::vector<TaskPointer> tasks;
  const std::vector<std::size_t> forks = forksOf(submission->launches);
  for (std::size_t i = 0; i < forks.size(); ++i) {
    auto progress =
        std::make_shared<Progress>(submission, i, i + 1 < forks.size() && forks[i + 1] == i, forks[i] < i);
    tasks.push_back(std::make_unique<Prepare>(progress));
    const auto &matrices = submission->launches[i].matrices;
    for (std::size_t k = 0; k < matrices.size(); ++k)
      if (matrices[k].reads || (matrices[k].writes && !matrices[k].covers))
        tasks.push_back(std::make_unique<CopyIn>(progress, k));
    tasks.push_back(std::make_unique<Execute>(progress));
  }
  return tasks;
}

} // namespace pb::device
