// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/borrowed.h"
#include "runtime/device/record.h"
#include "runtime/device/session_side.h"
#include "runtime/matrix/storage.h"
#include <thread>
#include <utility>

namespace pb::device {

Task::Outcome Borrow::run(Management &m) {
  try {
    auto buffer = m.call([&] { return m.device().borrow(address_, matrix::storageBytes(storage_)); });
    m.table().recordOf(storage_)->borrow(m.index(), std::move(buffer), elementBytes_);
  } catch (const DeviceError &e) {
    if (e.failure() == Failure::Lost)
      throw;
    request_->finish(e);
    return Outcome::Done;
  }
  request_->partDone();
  return Outcome::Done;
}

Task::Outcome GiveBack::run(Management &m) {
  const std::shared_ptr<Record> record = Table::find(storage_);
  if (!record || !record->buffer(m.index())) { // it was lost meanwhile
    request_->finish(DeviceError(Failure::Lost, "an array was lost with " + m.about().name));
    return Outcome::Done;
  }
  for (; next_ < results_.size() && !problem_; ++next_) {
    const Place &result = results_[next_];
    const CopyPlan plan = record->planIn(m.index(), result, &result.cells, nullptr, false);
    if (plan.state == CopyPlan::State::Wait)
      return Outcome::Again;
    if (plan.state == CopyPlan::State::Lost)
      problem_ = DeviceError(Failure::Lost, "results were lost with the device that had them");
    else if (plan.state == CopyPlan::State::Go)
      copyIn(m, record, plan);
  }
  if (!std::exchange(isFlushed_, true)) {
    m.needsFlush();
    return Outcome::Again;
  }
  if (!m.call([&] { return m.device().isIdle(*record->buffer(m.index())); }))
    return Outcome::Again;
  auto buffer = record->takeBuffer(m.index(), false);
  m.call([&] { buffer.reset(); });
  request_->finish(problem_);
  return Outcome::Done;
}

void GiveBack::copyIn(Management &m, const std::shared_ptr<Record> &record, const CopyPlan &plan) {
  try {
    m.copyIn(record, plan, "a caller");
  } catch (const DeviceError &e) {
    if (e.failure() == Failure::Lost)
      throw;
    problem_ = e;
  }
}

int Session::find(const std::string &api, int number) const {
  for (std::size_t k = 0; k < sides_.size(); ++k)
    if (const Description &about = sides_[k]->manager->about(); about.api == api && about.number == number)
      return static_cast<int>(k);
  return -1;
}

void Session::borrow(int device, Storage *storage, void *address, int elementBytes) {
  const auto request = std::make_shared<Request>();
  managementOf(device).add(request, one(std::make_unique<Borrow>(storage, address, elementBytes, request)));
  request->wait();
  if (request->error())
    throw DeviceError(*request->error());
  markUsed();
}

void Session::giveBack(int device, Storage *storage, const std::vector<Place> &results) {
  for (const Place &result : results) // what other devices have comes by way of the processor
    if (!table_.isOnDevice(device, result))
      for (int other = 0; other < devices(); ++other)
        if (Manager &m = *sides_[static_cast<std::size_t>(other)]->manager; other != device && !m.isLost())
          m.copyOutNow(result);
  const auto request = std::make_shared<Request>();
  managementOf(device).add(request, one(std::make_unique<GiveBack>(storage, results, request)));
  request->wait();
  if (request->error())
    throw DeviceError(*request->error());
}

void Session::toHostNow(const Place &place) {
  while (!table_.isOnHost(place)) {
    for (const auto &side : sides_)
      if (!side->manager->isLost())
        side->manager->copyOutNow(place);
    if (table_.isLost(place))
      throw DeviceError(Failure::Lost, "what the program reads was lost with the device that had it");
    std::this_thread::yield(); // a device that has just been lost will soon release it
  }
}

void Session::wroteOnHost(const std::vector<Place> &places) {
  for (const Place &place : places)
    if (!table_.hostWrites(place))
      throw std::logic_error("transfers of an array are under way while the processor writes it");
}

Management &Session::managementOf(int device) {
  return sides_[static_cast<std::size_t>(device)]->manager->management();
}

} // namespace pb::device
