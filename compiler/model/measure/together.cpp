// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/together.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>

namespace pbc::model {

Figure rateTogether(int units, const Sampling &sampling, const std::function<Work(int unit)> &workOf) {
  std::vector<std::vector<double>> rates(static_cast<std::size_t>(units)); // of each unit
  std::barrier together(units);
  std::vector<std::thread> threads;
  std::atomic<bool> isOver{false};
  const auto begin = std::chrono::steady_clock::now();
  for (int u = 0; u < units; ++u)
    threads.emplace_back([&, u] {
      const Work work = workOf(u);
      for (int s = 0; s < sampling.most; ++s) {
        if (u == 0 && s >= sampling.least &&
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >
                sampling.seconds)
          isOver = true;
        together.arrive_and_wait();
        if (isOver)
          break;
        double amount = 0;
        const double seconds = ownSecondsOf([&] { amount = work(); });
        rates[static_cast<std::size_t>(u)].push_back(seconds > 0 ? amount / seconds : 0);
        together.arrive_and_wait();
      }
    });
  for (std::thread &t : threads)
    t.join();
  std::vector<double> sums;
  for (std::size_t s = 0; s < rates.front().size(); ++s) {
    double sum = 0;
    for (const auto &ofUnit : rates)
      sum += ofUnit[s];
    if (sum > 0)
      sums.push_back(sum);
  }
  return figureOf(sums, Better::Higher);
}

} // namespace pbc::model
