// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The convolutions of convolution.pbcc in Halide, scheduled by its auto-scheduler for these sizes.
//
//   HL_NUM_THREADS=THREADS halide Separable|Direct K WIDTH HEIGHT THREADS
//   => "time: SECONDS s", the median
#include <Halide.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  const bool separable = std::string(argv[1]) == "Separable";
  const int k = std::atoi(argv[2]), w = std::atoi(argv[3]), h = std::atoi(argv[4]),
            threads = std::atoi(argv[5]);
  using namespace Halide;
  Buffer<float> image(w, h), kernel = separable ? Buffer<float>(k) : Buffer<float>(k, k);
  image.for_each_element(
      [&](int x, int y) { image(x, y) = static_cast<float>((x * 37 + y * 101) % 256) / 256; });
  kernel.for_each_value([&](float &v) { v = 1.0f / static_cast<float>(k); });
  ImageParam in(Float(32), 2), weights(Float(32), separable ? 1 : 2);
  Var x, y;
  Func out("out"), rows("rows");
  if (separable) {
    RDom i(0, k), j(0, k);
    rows(x, y) = 0.0f;
    rows(x, y) += in(x + i, y) * weights(i);
    out(x, y) = 0.0f;
    out(x, y) += rows(x, y + j) * weights(j);
  } else {
    RDom r(0, k, 0, k);
    out(x, y) = 0.0f;
    out(x, y) += in(x + r.x, y + r.y) * weights(r.x, r.y);
  }
  in.set_estimates({{0, w}, {0, h}});
  if (separable)
    weights.set_estimates({{0, k}});
  else
    weights.set_estimates({{0, k}, {0, k}});
  out.set_estimates({{0, w - k + 1}, {0, h - k + 1}});
  load_plugin("autoschedule_adams2019");
  Pipeline pipeline(out);
  const Target target = get_jit_target_from_environment();
  pipeline.apply_autoscheduler(target, {"Adams2019", {{"parallelism", std::to_string(threads)}}});
  in.set(image);
  weights.set(kernel);
  Buffer<float> result(w - k + 1, h - k + 1);
  pipeline.compile_jit(target);
  pipeline.realize(result);
  std::vector<double> times;
  const auto seconds = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  for (double total = 0; times.size() < 3 || (total < 0.5 && times.size() < 1000); total += times.back()) {
    const double begin = seconds();
    pipeline.realize(result);
    times.push_back(seconds() - begin);
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %.6g s\n", times[times.size() / 2]);
}
