// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transfers of storages: how they begin, and the tasks that wait for their end.
#include "runtime/device/tasks.h"

namespace pb::device {
namespace {

unsigned long bytesOf(const std::vector<Transfer> &transfers) {
  unsigned long sum = 0;
  for (const Transfer &t : transfers)
    sum += t.bytes * static_cast<unsigned long>(t.rows * t.planes);
  return sum;
}

/// What the events of a copy-out belong to.
enum class Kind { Copies, SomeCopies, Kernel };

/// Polls the events after which cells are valid on the host.
class Completion : public Task {
public:
  Completion(const char *name, std::shared_ptr<Record> record, std::shared_ptr<Flight> flight,
             std::vector<EventRef> events, Kind kind, std::shared_ptr<LaunchEnd> end = {})
      : Task("completion", name, false), record_(std::move(record)), flight_(std::move(flight)),
        events_(std::move(events)), kind_(kind), end_(std::move(end)) {
    if (end_)
      end_->expect();
    isOfDevice = true;
  }

  Outcome run(Management &m) override {
    for (; done_ < events_.size(); ++done_) {
      if (!m.call([&] { return events_[done_]->isDone(); }))
        return Outcome::Again;
      if (m.trace() && kind_ != Kind::Kernel)
        m.trace()->onDevice(m.index(), "copy-out", detail, events_[done_]->span());
    }
    record_->landed(flight_);
    if (end_)
      end_->one();
    return Outcome::Done;
  }
  EventRef awaited() const override { return done_ < events_.size() ? events_[done_] : nullptr; }
  bool drop(Management &m) override {
    bool failed = kind_ == Kind::SomeCopies;
    for (const EventRef &e : events_)
      if (!m.isOver(e, &failed))
        return false;
    if (failed)
      record_->cancelled(flight_);
    else
      record_->landed(flight_); // it came through
    return true;
  }

private:
  const std::shared_ptr<Record> record_;
  const std::shared_ptr<Flight> flight_;
  const std::vector<EventRef> events_;
  const Kind kind_;
  const std::shared_ptr<LaunchEnd> end_;
  std::size_t done_ = 0;
};

} // namespace

void Management::copyIn(const std::shared_ptr<Record> &record, const CopyPlan &plan, const char *name) {
  Buffer &buffer = *record->buffer(index());
  CopyingIn copy{record, plan.flight, {}, name};
  try {
    for (const Transfer &t : plan.transfers)
      copy.events.push_back(call([&] { return device_->copyIn(buffer, t, record->data()); }));
  } catch (const DeviceError &) {
    if (copy.events.empty())
      record->cancelled(plan.flight);
    else
      copyingIn_.push_back(std::move(copy)); // the copies that have begun still read the host's memory
    throw;
  }
  record->given(*plan.flight);
  copyingIn_.push_back(std::move(copy));
  ++count.copiesIn;
  count.bytesIn += bytesOf(plan.transfers);
  pageLocks_.copied(record, bytesOf(plan.transfers));
  needsFlush_ = true;
}

void Management::copyOut(const std::shared_ptr<Record> &record, const CopyPlan &plan, const char *name,
                         const std::shared_ptr<LaunchEnd> &end) {
  Buffer &buffer = *record->buffer(index());
  std::vector<EventRef> events;
  try {
    for (const Transfer &t : plan.transfers)
      events.push_back(call([&] { return device_->copyOut(buffer, t, record->data()); }));
  } catch (const DeviceError &e) {
    later(std::make_unique<Completion>(name, record, plan.flight, std::move(events), Kind::SomeCopies));
    // A device whose results cannot be read is useless.
    throw DeviceError(Failure::Lost, e.what());
  }
  ++count.copiesOut;
  count.bytesOut += bytesOf(plan.transfers);
  pageLocks_.copied(record, bytesOf(plan.transfers));
  needsFlush_ = true;
  later(std::make_unique<Completion>(name, record, plan.flight, std::move(events), Kind::Copies, end));
}

void Management::sharedUse(const std::shared_ptr<Record> &record, std::shared_ptr<Flight> flight,
                           const EventRef &event) {
  later(std::make_unique<Completion>("shared", record, std::move(flight), std::vector{event}, Kind::Kernel));
}

Settle::Settle(const Place &place, bool reads, bool writes, std::shared_ptr<Request> request)
    : Task("copy-out", "", false), place_(place), reads_(reads), writes_(writes),
      request_(std::move(request)) {
  if (place_.matrix.owner)
    pb_storage_retain(place_.matrix.owner);
}

Settle::~Settle() {
  if (place_.matrix.owner)
    pb_storage_release(place_.matrix.owner);
}

Task::Outcome Settle::run(Management &m) {
  if (const std::shared_ptr<Record> record = Table::find(place_.matrix.owner)) {
    const CopyPlan plan = record->planOut(m.index(), &place_, reads_, writes_, request_);
    if (plan.state == CopyPlan::State::Wait)
      return Outcome::Again;
    if (plan.state == CopyPlan::State::Go)
      m.copyOut(record, plan, "");
    else if (request_ && reads_ && record->isLost(place_))
      request_->finish(
          DeviceError(Failure::Lost, "what the program reads was lost with the device that had it"));
  }
  if (request_)
    request_->partDone();
  return Outcome::Done;
}

} // namespace pb::device
