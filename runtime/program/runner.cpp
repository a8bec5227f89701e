#include "runtime/program/runner.h"
#include "runtime/matrix/memo.h"
#include "runtime/task/scheduler.h"
#include <algorithm>
#include <chrono>
#include <thread>

namespace pb::program {

Runner::Runner(int threads) : scheduler_(std::make_unique<task::Scheduler>(threads)) {}
Runner::~Runner() = default;
int Runner::threads() const { return scheduler_->threads(); }

double Runner::run(const Instance &instance) {
  const std::vector<AnyRegion> regions = instance.regions();
  matrix::forgetCalls();
  const auto begin = std::chrono::steady_clock::now();
  scheduler_->run(instance.transform->start(regions.data(), instance.sizes.data(), instance.transform->bin));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int threadCount(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace pb::program
