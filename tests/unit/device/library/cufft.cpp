// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// cuFFT for tests (in_order.h), computed by definition.
#include "in_order.h"
#include <chrono>
#include <complex>
#include <cstdlib>
#include <thread>
#include <vector>

namespace pb::device::test {
namespace {

struct Plan {
  int rank = 0, size[2] = {1, 1}, inEmbed[2] = {}, outEmbed[2] = {}, inStep = 1, outStep = 1, type = 0;
  void *stream = nullptr;
};
std::vector<Plan> plans(1); // 0 is none

template <class T>
int execute(int number, std::complex<T> *in, std::complex<T> *out, int direction) {
  const Plan p = plans.at(static_cast<std::size_t>(number));
  if (p.type != (sizeof(T) == 4 ? 0x29 : 0x69))
    return 4; // CUFFT_INVALID_VALUE
  inOrder(p.stream, [=] {
    const int rows = p.rank == 2 ? p.size[0] : 1, n = p.size[p.rank - 1];
    const auto at = [&](const int *embed, int step, int y, int x) {
      return (static_cast<long>(y) * (p.rank == 2 ? embed[1] : 0) + x) * step;
    };
    std::vector<std::complex<T>> all;
    for (int v = 0; v < rows; ++v)
      for (int u = 0; u < n; ++u) {
        std::complex<double> sum = 0;
        for (int y = 0; y < rows; ++y)
          for (int x = 0; x < n; ++x)
            sum += std::complex<double>(in[at(p.inEmbed, p.inStep, y, x)]) *
                   std::polar(1.0, direction * 2 * M_PI *
                                       (static_cast<double>(y) * v / rows + static_cast<double>(x) * u / n));
        all.emplace_back(sum);
      }
    for (int v = 0; v < rows; ++v)
      for (int u = 0; u < n; ++u)
        out[at(p.outEmbed, p.outStep, v, u)] = all[static_cast<std::size_t>(v) * n + u];
  });
  return 0;
}

} // namespace
} // namespace pb::device::test

extern "C" {
using pb::device::test::plans;
int cufftPlanMany(int *plan, int rank, int *n, int *inEmbed, int inStep, int, int *outEmbed, int outStep, int,
                  int type, int batch) {
  if (rank < 1 || rank > 2 || batch != 1)
    return 4;
  if (const char *slow = std::getenv("PB_TEST_SLOW_PLAN")) // milliseconds
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(slow)));
  pb::device::test::Plan made{.rank = rank, .inStep = inStep, .outStep = outStep, .type = type};
  for (int d = 0; d < rank; ++d)
    made.size[d] = n[d], made.inEmbed[d] = inEmbed[d], made.outEmbed[d] = outEmbed[d];
  *plan = static_cast<int>(plans.size());
  plans.push_back(made);
  return 0;
}
/// How many plans were made.
int pb_test_plans() { return static_cast<int>(plans.size()) - 1; }
int cufftSetStream(int plan, void *stream) {
  return plans.at(static_cast<std::size_t>(plan)).stream = stream, 0;
}
int cufftDestroy(int plan) { return plans.at(static_cast<std::size_t>(plan)) = {}, 0; }
int cufftExecZ2Z(int plan, void *in, void *out, int direction) {
  return pb::device::test::execute(plan, static_cast<std::complex<double> *>(in),
                                   static_cast<std::complex<double> *>(out), direction);
}
int cufftExecC2C(int plan, void *in, void *out, int direction) {
  return pb::device::test::execute(plan, static_cast<std::complex<float> *>(in),
                                   static_cast<std::complex<float> *>(out), direction);
}
}
