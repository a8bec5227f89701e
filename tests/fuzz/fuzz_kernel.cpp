// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads mutated texts of kernels, which must neither crash nor hang, whatever they are. What is accepted is printed and read
// back.
//
//   fuzz_kernel [seconds = 60] [seed = 1]
#include "compiler/kernel/parse.h"
#include "compiler/kernel/print.h"
#include "tests/fuzz/campaign.h"

namespace {

using namespace pbc;

const std::vector<std::string> kernels = {
    R"(kernel Product.rule0 [c, h, w]  may reassociate
  context c >= 0 and h >= 0 and (w >= 2 or w = 0)
  buffer s double 2-d local, 32 lanes
  buffer A double 2-d input
  buffer B float 2-d input, matrix 7
  buffer AB double 2-d output
  buffer P double 2-d scratch of 16 x 34
  S0[x, y] of rule 1: s[x, y] = -0.5e-3 // a comment
    { S0[x, y] : 0 <= x < w and 0 <= y < h }
  S1[x, y; k] of rule 1: s[x, y] += A[k, y : k > 0] * double(B[x, 2k + floor((x)/3)])
    { S1[x, y, k] : 0 <= x < w and 0 <= y < h and 0 <= k < c }
  S2[x, y] of rule 1: AB[x, y] = x < n && !(y != 3) ? s[x, y] : (3 : double) * sqrt(`tunable`)
    { S2[x, y] : 0 <= x < w and 0 <= y < h }
  schedule
    band yt = y - (y) mod 8 parallel
      jam:4
        band y parallel
          vector:2
            band x
              alloc:s
                sequence
                  S0
                  S1
                    unroll
                      band k
                  { S2[x, y] : x < 3 }
                  { S2[x, y] : x >= 3 }
)",
    R"(kernel Call [n]
  buffer A double 2-d input
  buffer t double 0-d input
  buffer B double 1-d output
  S[i]: call pb_body_0(out B[i], A[0 : n, i], view A[i, i], A[i : 2 + i, 0 : n] keeps (1), A[-1 + i, 0] if (i >= 1) else 0.5 touches { S[i] -> A[a0 = -1 + i, a1 = 0] : i > 0 }) with t
    { S[i] : pb__low0 <= i < pb__high0 }
  task i in [0, { [(n)] : n >= 5; [(2)] : 0 < n <= 4 }) by 256, slope -1 along r, down 2
  task r in [1, n) by 1, time
  tasks as a wavefront
  bytes per place: 24
  schedule
    band i
kernel Heat [n, m]
  buffer T double 2-d output
  S0[x]: T[x, 0] = 1.0
    { S0[x] : 0 <= x < n and m > 0 }
  S1[x, t]: T[x, (t) mod 2] = T[-1 + x, (1 + t) mod 2]
    { S1[x, t] : 0 <= x < n and 0 < t < m }
  dependences
    { S0[x] -> S1[1 + x, 1]; S1[x, t] -> S1[x', t'] : t' > t }
  tasks in rounds of the first
  schedule of { S0[x] : 0 <= x < n and m > 0; S1[x, t] : 0 <= x < n and 0 < t < m }
    band (S0: 0; S1: t)
      set
        S0
          band { S0[x] -> [(x)] }
        S1
          lanes:32
            band x
  plain schedule
    band (S0: 0; S1: t), x
)"};

/// The texts of the kernels in a file; nothing if it is refused.
std::string readAndPrint(const std::string &text, bool &isRefused) {
  poly::Context ctx;
  source::SourceManager sources;
  source::Diagnostics diagnostics(sources);
  std::string all;
  for (const kernel::Scheduled &k : kernel::parse(sources.add("fuzz.kernel", text), ctx, diagnostics))
    all += kernel::print(k);
  isRefused = diagnostics.hasErrors();
  (void)diagnostics.render();
  return all;
}

fuzz::Verdict readBack(const std::string &text) {
  bool isRefused = false, isRefusedAgain = false;
  const std::string once = readAndPrint(text, isRefused);
  if (isRefused)
    return {false};
  const std::string twice = readAndPrint(once, isRefusedAgain);
  return {true, twice == once && !isRefusedAgain
                    ? ""
                    : "what is printed is not read back:\n" + once + "but:\n" + twice};
}

} // namespace

int main(int argc, char **argv) {
  return fuzz::campaign({.name = "fuzz_kernel", .seeds = kernels, .tryText = readBack, .secondsEach = 20},
                        argc, argv);
}
