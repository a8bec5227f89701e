// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/transform/random_kernels.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::kernel {
namespace {

class KernelMaker {
public:
  explicit KernelMaker(Random &r) : r_(r) {}

  std::string make() {
    switch (r_.number(0, 8)) {
    case 0:
      return map();
    case 1:
      return product(false);
    case 2:
      return product(true);
    case 3:
      return recurrence();
    case 4:
      return chain();
    case 5:
      return sweeps();
    case 6:
      return twoSums();
    case 7:
      return solve();
    default:
      return sums();
    }
  }

private:
  /// "x", "-1 + x", "x + y"
  std::string near(const std::string &name) {
    const long shift = r_.number(-2, 2);
    return r_.once(2) ? name : fmt::format("{} + {}", shift, name);
  }
  std::string read(const std::string &buffer, bool mayTurn = true) {
    if (mayTurn && r_.once(4))
      return fmt::format("{}[{}, {}]", buffer, near("y"), near("x"));
    return fmt::format("{}[{}, {}]", buffer, near("x"), near("y"));
  }
  std::string points() {
    std::vector<std::string> conditions = {"0 <= x < n", "0 <= y < m"};
    if (r_.once(4))
      conditions.push_back(
          r_.of<std::string>({"x <= y", "y < x", "x + y < n", "2 <= x + 2y <= n + m", "x mod 2 = 0"}));
    if (r_.once(6))
      conditions.push_back(r_.of<std::string>({"x != y", "(x < 2 or y >= 2)"}));
    return fmt::format("{}", fmt::join(conditions, " and "));
  }
  std::string order() { return r_.once(2) ? "y, x" : "x, y"; }
  std::string operation() { return r_.of<std::string>({" + ", " - ", " * "}); }
  std::string head(const std::string &buffers, bool reassociates = false) {
    return fmt::format("kernel Random.rule0 [n, m]{}\n  context n >= 0 and m >= 0\n{}",
                       reassociates ? " may reassociate" : "", buffers);
  }

  std::string map() {
    std::string value = read("A");
    for (long k = r_.number(0, 3); k > 0; --k)
      value += operation() + (r_.once(3) ? fmt::format("double({})", near(r_.once(2) ? "x" : "y"))
                                         : read(r_.once(2) ? "A" : "B"));
    if (r_.once(5))
      value = fmt::format("({} < {} ? {} : {})", read("A"), read("B"), value, read("A"));
    const bool updates = r_.once(3);
    return head("  buffer A double 2-d input\n  buffer B double 2-d input\n  buffer C double 2-d output\n") +
           fmt::format("  S[x, y]: C[x, y] {}= {}\n    {{ S[x, y] : {} }}\n  schedule\n    band {}\n",
                       updates ? "+" : "", value, points(), order());
  }

  /// With the sum in a local, or in the output itself.
  std::string product(bool hasLocal) {
    const std::string domain = points(),
                      depth = r_.of<std::string>({"0 <= k < n", "0 <= k <= y", "0 <= k < 3", "x <= k < n"});
    const std::string sum = hasLocal ? "s[x, y]" : "C[x, y]";
    const std::string buffers =
        std::string(hasLocal ? "  buffer s double 2-d local\n" : "") +
        "  buffer A double 2-d input\n  buffer B double 2-d input\n  buffer C double 2-d output\n";
    std::string text = head(buffers, r_.once(2));
    text += fmt::format("  S0[x, y]: {} = 0.0\n    {{ S0[x, y] : {} }}\n", sum, domain);
    text += fmt::format("  S1[x, y; k]: {} += A[{}, y] * B[x, {}]\n    {{ S1[x, y, k] : {} and {} }}\n", sum,
                        near("k"), near("k"), domain, depth);
    if (hasLocal)
      text += fmt::format("  S2[x, y]: C[x, y] = s[x, y]\n    {{ S2[x, y] : {} }}\n", domain);
    text += fmt::format("  schedule\n    band {}\n", order());
    std::string indent = "      ";
    if (hasLocal)
      text += indent + "alloc:s\n", indent += "  ";
    text += indent + "sequence\n" + indent + "  S0\n" + indent + "  S1\n" + indent + "    band k\n";
    return text + (hasLocal ? indent + "  S2\n" : "");
  }

  std::string recurrence() {
    std::vector<std::string> before = {"C[-1 + x, y]", "C[x, -1 + y]", "C[-1 + x, -1 + y]", "C[-2 + x, y]",
                                       "C[-1 + x, 1 + y]"};
    r_.shuffle(before);
    const bool isAhead = before[0] == "C[-1 + x, 1 + y]" || before[1] == "C[-1 + x, 1 + y]";
    const std::string value =
        r_.once(2) ? before[0] : fmt::format("({0} < {1} ? {1} : {0})", before[0], before[1]);
    return head("  buffer A double 2-d input\n  buffer C double 2-d output\n") +
           fmt::format("  S[x, y]: C[x, y] = {} + {}\n    {{ S[x, y] : {} }}\n  schedule\n    band {}\n",
                       value, read("A"), points(), isAhead ? "x, y" : order());
  }

  std::string chain() {
    const std::string domain = points();
    const bool isFused = r_.once(2);
    const std::string value = isFused ? "T[x, y]" : read("T");
    std::string text =
        head("  buffer A double 2-d input\n  buffer T double 2-d output\n  buffer C double 2-d output\n");
    text += fmt::format("  S0[x, y]: T[x, y] = {} + 1.0\n    {{ S0[x, y] : {} }}\n", read("A"), domain);
    text += fmt::format("  S1[x, y] of rule {}: C[x, y] = {} * 2.0\n    {{ S1[x, y] : {} }}\n  schedule\n",
                        r_.number(0, 1), value, domain);
    if (isFused)
      return text + fmt::format("    band {}\n      sequence\n        S0\n        S1\n", order());
    return text + fmt::format("    sequence\n      S0\n        band {}\n      S1\n        band {}\n", order(),
                              order());
  }

  /// Steps in time over a row, in place or with versions.
  std::string sweeps() {
    const std::string value =
        r_.of<std::string>({"C[-1 + x, -1 + y] + C[1 + x, -1 + y]", "C[x, -1 + y] - C[-1 + x, y]",
                            "(C[-1 + x, -1 + y] < C[2 + x, -1 + y] ? C[-1 + x, -1 + y] : C[2 + x, -1 + y])"});
    return head("  buffer A double 1-d input\n  buffer C double 2-d output\n") +
           fmt::format("  S0[x]: C[x, 0] = A[{}]\n    {{ S0[x] : 0 <= x < n and m > 0 }}\n", near("x")) +
           fmt::format("  S1[x, y]: C[x, y] = {}\n    {{ S1[x, y] : 0 <= x < n and 0 < y < m }}\n", value) +
           "  schedule\n    sequence\n      S0\n        band x\n      S1\n        band y, x\n";
  }

  /// Two sums of a point, whose loops follow each other.
  std::string twoSums() {
    const std::string domain = points(),
                      depth = r_.of<std::string>({"0 <= k < n", "0 <= k <= y", "0 <= k < 4"}),
                      other = r_.once(2) ? depth : "0 <= k < m";
    const auto term = [&] {
      return r_.once(2) ? fmt::format("A[{}, y]", near("k")) : fmt::format("A[x, {}]", near("k"));
    };
    std::string text = head("  buffer s double 2-d local\n  buffer t double 2-d local\n"
                            "  buffer A double 2-d input\n  buffer C double 2-d output\n",
                            r_.once(2));
    text += fmt::format("  S0[x, y]: s[x, y] = 0.0\n    {{ S0[x, y] : {0} }}\n"
                        "  S1[x, y]: t[x, y] = 0.0\n    {{ S1[x, y] : {0} }}\n",
                        domain);
    text += fmt::format("  S2[x, y; k]: s[x, y] += {}\n    {{ S2[x, y, k] : {} and {} }}\n", term(), domain,
                        depth);
    text += fmt::format("  S3[x, y; k]: t[x, y] {}= {}\n    {{ S3[x, y, k] : {} and {} }}\n",
                        r_.once(2) ? "+" : "-", term(), domain, other);
    text +=
        fmt::format("  S4[x, y]: C[x, y] = s[x, y]{}t[x, y]\n    {{ S4[x, y] : {} }}\n", operation(), domain);
    return text + fmt::format("  schedule\n    band {}\n      alloc:s\n        alloc:t\n          sequence\n"
                              "            S0\n            S1\n            S2\n              band k\n"
                              "            S3\n              band k\n            S4\n",
                              order());
  }

  /// Each row needs those before it in its own column, as triangular systems do.
  std::string solve() {
    const std::string first = r_.of<std::string>({"0", "0", "1"});
    const bool hasLocal = !r_.once(3);
    const std::string sum = hasLocal ? "s[x, y]" : "C[x, y]";
    std::string text = head(std::string(hasLocal ? "  buffer s double 2-d local\n" : "") +
                            "  buffer A double 2-d input\n  buffer B double 2-d input\n"
                            "  buffer C double 2-d output\n");
    text += fmt::format("  S0[x, y]: {} = {}\n    {{ S0[x, y] : 0 <= x < n and 0 <= y < m }}\n", sum,
                        read("B", false));
    text += fmt::format("  S1[x, y; k]: {} -= A[k, y] * C[x, k]\n"
                        "    {{ S1[x, y, k] : 0 <= x < n and 0 <= y < m and {} <= k < y }}\n",
                        sum, first);
    if (hasLocal)
      text += "  S2[x, y]: C[x, y] = s[x, y]\n    { S2[x, y] : 0 <= x < n and 0 <= y < m }\n";
    text += fmt::format("  schedule\n    band {}\n", order());
    std::string indent = "      ";
    if (hasLocal)
      text += indent + "alloc:s\n", indent += "  ";
    text += indent + "sequence\n" + indent + "  S0\n" + indent + "  S1\n" + indent + "    band k\n";
    return text + (hasLocal ? indent + "  S2\n" : "");
  }

  std::string sums() {
    const std::string op = r_.of<std::string>({"+", "-"});
    const std::string axis = r_.once(2) ? "A[k, x]" : "A[x, k]";
    return head("  buffer s double 1-d local\n  buffer A double 2-d input\n  buffer C double 1-d output\n",
                r_.once(2)) +
           "  S0[x]: s[x] = 0.0\n    { S0[x] : 0 <= x < n }\n" +
           fmt::format("  S1[x; k]: s[x] {}= {}\n    {{ S1[x, k] : 0 <= x < n and 0 <= k < {} }}\n", op, axis,
                       r_.of<std::string>({"m", "x", "3"})) +
           "  S2[x]: C[x] = s[x]\n    { S2[x] : 0 <= x < n }\n" +
           "  schedule\n    band x\n      alloc:s\n        sequence\n          S0\n          S1\n            "
           "band k\n          S2\n";
  }

  Random &r_;
};

} // namespace

std::string randomKernel(Random &r) { return KernelMaker(r).make(); }

} // namespace pbc::kernel
