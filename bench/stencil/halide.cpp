// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A step of heat.pbcc as a Halide pipeline, scheduled by the auto-scheduler of Mullapudi and others.
//   halide KERNEL w h d
#include <Halide.h>
#include <chrono>
#include <cstdio>

using namespace Halide;

int main(int, char **argv) {
  constexpr int kSteps = 100;
  const std::string kernel = argv[1];
  const int w = std::atoi(argv[2]), h = std::atoi(argv[3]), d = std::atoi(argv[4]);
  const bool isSolid = kernel == "SevenPoint";
  const std::vector<int> sizes = isSolid ? std::vector<int>{w, h, d} : std::vector<int>{w, h};
  load_plugin("autoschedule_mullapudi2016");
  ImageParam a(Float(64), static_cast<int>(sizes.size()));
  Var x("x"), y("y"), z("z");
  Func step("step");
  if (isSolid)
    step(x, y, z) =
        a(x, y, z) + Expr(0.1) * (a(x - 1, y, z) + a(x + 1, y, z) + a(x, y - 1, z) + a(x, y + 1, z) +
                                  a(x, y, z - 1) + a(x, y, z + 1) - 6 * a(x, y, z));
  else if (kernel == "FivePoint")
    step(x, y) = a(x, y) + Expr(0.1) * (a(x - 1, y) + a(x + 1, y) + a(x, y - 1) + a(x, y + 1) - 4 * a(x, y));
  else
    step(x, y) = Expr(0.5) * a(x, y) + Expr(0.1) * (a(x - 1, y) + a(x + 1, y) + a(x, y - 1) + a(x, y + 1)) +
                 Expr(0.025) * (a(x - 1, y - 1) + a(x + 1, y - 1) + a(x - 1, y + 1) + a(x + 1, y + 1));
  Region output, input;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    output.push_back({1, sizes[k] - 2});
    input.push_back({0, sizes[k]});
  }
  a.set_estimates(input);
  step.set_estimates(output);
  Pipeline pipeline(step);
  const Target target = get_jit_target_from_environment();
  pipeline.apply_autoscheduler(
      target,
      {"Mullapudi2016", {{"parallelism", "2"}, {"last_level_cache_size", "16777216"}, {"balance", "40"}}});
  pipeline.compile_jit(target);
  Buffer<double> u[2] = {Buffer<double>(sizes), Buffer<double>(sizes)};
  for (auto &b : u)
    for (long i = 0; i < static_cast<long>(b.number_of_elements()); ++i)
      b.data()[i] = static_cast<double>(i * 7919 % 1000) / 1000;
  const auto inside = [&](Buffer<double> &of) { // the cells that change
    Buffer<double> b(of.data(), sizes);
    for (int k = 0; k < b.dimensions(); ++k)
      b.crop(k, 1, sizes[static_cast<std::size_t>(k)] - 2);
    return b;
  };
  Buffer<double> to[2] = {inside(u[0]), inside(u[1])};
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < kSteps; ++k) {
    a.set(u[k % 2]);
    pipeline.realize(to[(k + 1) % 2]);
  }
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  const long n = static_cast<long>(u[0].number_of_elements());
  std::printf("time: %g s\ncell: %.17g\n", passed.count(), u[0].data()[n / 2 + w / 3]);
}
