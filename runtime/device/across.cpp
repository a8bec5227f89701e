// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies from one device to another, by the thread of the device that has the cells: its own commands then come before and after
// the copy in their order. The other device's launch waits for the request.
#include "runtime/device/tasks.h"
#include "runtime/device/transfer.h"

namespace pb::device {

std::vector<EventRef> Management::copyAcross(Record &record, const CopyPlan &plan, Management &to,
                                             std::optional<DeviceError> &refused) {
  Buffer &from = *record.buffer(index()), &target = *record.buffer(to.index());
  std::vector<EventRef> events;
  unsigned long bytes = 0;
  try {
    for (const Transfer &t : plan.transfers) {
      events.push_back(call([&] { return device_->copyAcross(from, t, to.device(), target); }));
      bytes += transferBytes(t);
    }
    ++count.copiesAcross;
    count.bytesAcross += bytes;
  } catch (const DeviceError &e) {
    if (e.failure() == Failure::Lost)
      throw;
    refused = e;
  }
  needsFlush_ = true;
  return events;
}

Task::Outcome CopyAcross::run(Management &m) {
  if (!flight_) {
    record_ = Table::find(place_.matrix.owner);
    const CopyPlan plan = record_ ? record_->planAcross(m.index(), to_.index(), place_) : CopyPlan{};
    if (plan.state != CopyPlan::State::Go) {
      request_->partDone();
      return Outcome::Done;
    }
    flight_ = plan.flight;
    isOfDevice = true;
    events_ = m.copyAcross(*record_, plan, to_, refused_);
  }
  for (; done_ < events_.size(); ++done_) {
    if (!m.call([&] { return events_[done_]->isDone(); }))
      return Outcome::Again;
    if (m.trace())
      m.trace()->onDevice(m.index(), "copy-across", detail, events_[done_]->span());
  }
  if (refused_) {
    record_->cancelled(flight_);
    request_->finish(refused_);
  } else {
    record_->landed(flight_);
    request_->partDone();
  }
  return Outcome::Done;
}

bool CopyAcross::drop(Management &m) {
  for (const EventRef &e : events_)
    if (!m.isOver(e))
      return false;
  if (flight_)
    record_->cancelled(flight_);
  return true;
}

} // namespace pb::device
