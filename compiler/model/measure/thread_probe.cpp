// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/thread_probe.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <thread>

namespace pbc::model {

Figure barrierTime(int threads, const Sampling &sampling) {
  constexpr int kRounds = 100; // in a sample
  std::barrier together(threads);
  std::atomic<bool> isOver{false};
  std::vector<double> seconds;
  const auto begin = std::chrono::steady_clock::now();
  const auto pass = [&] {
    for (int i = 0; i < kRounds; ++i)
      together.arrive_and_wait();
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t)
    others.emplace_back([&] {
      for (together.arrive_and_wait(); !isOver; together.arrive_and_wait())
        pass();
    });
  for (int s = 0; s < sampling.most; ++s) {
    together.arrive_and_wait(); // all of them are here
    seconds.push_back(secondsOf(pass) / kRounds);
    if (s + 1 >= sampling.least &&
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > sampling.seconds)
      break;
  }
  isOver = true;
  together.arrive_and_wait();
  for (std::thread &t : others)
    t.join();
  return figureOf(seconds, Better::Lower);
}

Figure threadStartTime(int threads, const Sampling &sampling) {
  return sampled(sampling, Better::Lower, [&] {
    return secondsOf([&] {
      std::vector<std::thread> all;
      for (int t = 0; t < threads; ++t)
        all.emplace_back([] {});
      for (std::thread &t : all)
        t.join();
    });
  });
}

} // namespace pbc::model
