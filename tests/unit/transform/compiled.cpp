// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/transform/compiled.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/kernel/print.h"
#include "tests/unit/sanitized.h"
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace pbc::kernel {
namespace {

struct Size {
  long n, m;
};
constexpr Size kSizes[] = {{0, 2}, {1, 1}, {3, 4}, {6, 7}, {35, 2}, {2, 17}};

const char *const kPrelude = R"(
#include "runtime/abi/index.h"
#include "runtime/abi/region.h"
#include "runtime/abi/register_tile.h"
#include "runtime/abi/streaming_stores.h"
extern "C" int printf(const char *, ...);
extern "C" void pb_storage_retain(pb::Storage *) {}
extern "C" void pb_storage_release(pb::Storage *) {}
extern "C" pb::Storage *pb_storage_allocate(unsigned long, void **) { return nullptr; }
alignas(64) char scratch[1 << 22];
extern "C" void *pb_scratch(long bytes) {
  if (bytes > static_cast<long>(sizeof scratch)) __builtin_trap();
  return scratch;
}
extern "C" void *pb_cells_allocate(long bytes, unsigned long *) { return __builtin_malloc(bytes > 0 ? bytes : 1); }
extern "C" void pb_cells_release(void *cells, unsigned long) { __builtin_free(cells); }
extern "C" long pb_cache_bytes(int level) { return level == 1 ? 2048 : 8192; }

constexpr long kMost = kCells * kCells * 2;
double memory[4][kMost + 64];
long step = 1;
inline long cellsOf(int rank) { long c = 1; for (int d = 0; d < rank; ++d) c *= kCells; return c; }
__attribute__((noinline)) static void fill(int buffer, int rank) {
  for (long k = 0; k < cellsOf(rank); ++k) {
    const unsigned long mixed = (static_cast<unsigned long>(k) * 2654435761UL + static_cast<unsigned long>(buffer) * 40503UL) >> 7;
    memory[buffer][k * step] = static_cast<double>(mixed % 7) - 3;
  }
}
template <int D> pb::Region<double, D> region(int buffer) {
  long strides[D + 1], first = 0, stride = step;
  int extents[D + 1];
  for (int d = 0; d < D; ++d, stride *= kCells) strides[d] = stride, extents[d] = kCells, first += kMargin * stride;
  return pb::Region<double, D>(memory[buffer] + first, strides, extents);
}
__attribute__((noinline)) static unsigned long sumOf(int buffer, int rank) {
  unsigned long sum = 0;
  for (long k = 0; k < cellsOf(rank); ++k) {
    const double value = memory[buffer][k * step] + 0.0;
    unsigned long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    sum += bits * (2 * static_cast<unsigned long>(k) + 1 + static_cast<unsigned long>(buffer));
  }
  return sum;
}
void compare(int kernel, const char *how, long n, long m, unsigned long got, unsigned long wanted) {
  if (got != wanted) printf("%d %s, n = %ld, m = %ld\n", kernel, how, n, m);
}
)";

std::string outputOf(const std::string &command, bool &isGood) {
  std::string text;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part{};
  while (const std::size_t n = fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), n);
  isGood = pclose(pipe) == 0;
  return text;
}

bool goesThroughTime(const Schedule &schedule) {
  for (const TaskDimension &t : schedule.taskDimensions)
    if (!t.isPlace || t.slope || t.down || t.along >= 0)
      return true;
  return false;
}

/// Loops over the parts of the tasks around a call of the kernel. Their limits are `low` and `high`.
std::string inParts(const Scheduled &kernel, long piece, const std::string &call) {
  const auto &all = kernel.schedule.taskDimensions;
  const TaskOrder order = kernel.schedule.taskOrder;
  std::string loops, low, high;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool isRound = order == TaskOrder::Rounds && k == 0;
    const std::string begin = poly::cxx(all[k].low), end = poly::cxx(all[k].high);
    const long size = isRound ? 1 : piece;
    // The last part first, where parts may run in any order.
    loops +=
        fmt::format("for (long c{0} = pb::ceildiv_(({2}) - ({1}), {3}), p{0} = 0; p{0} < c{0}; ++p{0}) {{ "
                    "const long b{0} = ({1}) + "
                    "{3} * {4}, e{0} = pb::minimum(b{0} + {3}, {2}); ",
                    k, begin, end, size,
                    order == TaskOrder::Any || (order == TaskOrder::Rounds && !isRound)
                        ? fmt::format("(c{0} - 1 - p{0})", k)
                        : fmt::format("p{}", k));
    low += fmt::format("{}b{}", k ? ", " : "", k);
    high += fmt::format("{}e{}", k ? ", " : "", k);
  }
  return fmt::format("{}const long low[] = {{{}}}, high[] = {{{}}}; {} {}", loops, low, high, call,
                     std::string(all.size(), '}'));
}

} // namespace

void Comparison::add(const std::string &what, const Scheduled &before, const Scheduled &after) {
  const std::string text = print(before);
  if (text != text_) {
    text_.clear(); // so that a budget that ends below leaves no sums of another kernel
    sums_.clear();
    for (const Size &s : kSizes)
      sums_.push_back(interpret(before, {{"n", s.n}, {"m", s.m}}).checksum(before));
    text_ = text;
  }
  const std::string number = std::to_string(count_);
  std::string frame, regions, fills, sum = "0UL";
  for (const Buffer &buffer : after.buffers) {
    if (buffer.role == Buffer::Role::Local || buffer.role == Buffer::Role::Scratch)
      continue;
    frame += fmt::format("  pb::Region<double, {}> m_{};\n", buffer.rank, buffer.name);
    // A step may remove a buffer, so the first kernel says which memory it is.
    const auto number = std::find_if(before.buffers.begin(), before.buffers.end(),
                                     [&](const Buffer &o) { return o.name == buffer.name; }) -
                        before.buffers.begin();
    regions += fmt::format("f.m_{} = region<{}>({}); ", buffer.name, buffer.rank, number);
    fills += fmt::format("fill({}, {}); ", number, buffer.rank);
    if (isResult(buffer))
      sum += fmt::format(" + sumOf({}, {})", number, buffer.rank);
  }
  const emit::KernelText made = emit::kernelText(after, "kernel" + number, "Frame" + number);
  // A realisation that has no effect must be refused by its transformation; one sentence for both versions of a kernel.
  std::set<std::string> dropped;
  for (const loop::Left &left : made.left)
    dropped.insert(fmt::format("{} {}: {}\n", number, kernel::text(left.how), loop::words(left.why)));
  for (const std::string &line : dropped)
    dropped_ += line;
  code_ += fmt::format("#line 1 \"{0}\"\nstruct Frame{0} {{ long v_n, v_m;\n{1}}};\n{2}", number, frame,
                       made.text);
  const std::string call = fmt::format("kernel{}(&f, low, high);", number);
  std::string ranges;
  std::string low, high;
  for (const TaskDimension &t : after.schedule.taskDimensions) {
    low += poly::cxx(t.low) + ", ";
    high += poly::cxx(t.high) + ", ";
  }
  std::vector<std::pair<std::string, std::string>> ways = {
      {"whole", fmt::format("const long low[] = {{{}0}}, high[] = {{{}0}}; {}", low, high, call)}};
  if (!after.schedule.taskDimensions.empty() && !goesThroughTime(after.schedule))
    for (const long piece : {1L, 5L})
      ways.emplace_back(fmt::format("in parts of {}", piece), inParts(after, piece, call));
  // Clang is to spend its time on the kernel alone.
  code_ +=
      fmt::format("__attribute__((optnone)) static void run{0}(long n, long m, unsigned long wanted) {{\n"
                  "  Frame{0} f; f.v_n = n; f.v_m = m; {1}\n",
                  number, regions);
  for (const auto &[name, run] : ways)
    code_ += fmt::format("  {}\n  {{ {} }}\n  compare({}, \"{}\", n, m, {}, wanted);\n", fills, run, number,
                         name, sum);
  code_ += "}\n";
  for (std::size_t s = 0; s < std::size(kSizes); ++s)
    calls_ += fmt::format("  step = {}, run{}({}, {}, {}UL);\n", 1 + s % 2, number, kSizes[s].n, kSizes[s].m,
                          sums_[s]);
  whats_.push_back(what);
  ++count_;
}

std::string Comparison::differences() {
  if (count_ == 0)
    return "";
  if (!runsMadeCode())
    return dropped_;
  std::string folder = std::filesystem::temp_directory_path() / "pbc-transform-XXXXXX";
  if (!mkdtemp(folder.data()))
    return "no temporary folder";
  std::ofstream(folder + "/k.cpp")
      << "constexpr long kCells = " << Memory::kCount << ", kMargin = " << -Memory::kFirst << ";\n"
      << kPrelude
      << "namespace pb { inline long ceildiv_(long a, long b) { return a > 0 ? (a + b - 1) / b : 0; } }\n"
      << code_ << "int main() {\n"
      << calls_ << "}\n";
  bool isGood = false;
  std::string text =
      outputOf(fmt::format("clang++-19 -std=c++20 {2} -w -ffp-contract=off -I{0} -o {1}/k {1}/k.cpp",
                           PBC_SOURCE_DIR, folder, kSanitized ? "-O0" : "-O2"),
               isGood);
  if (isGood)
    text = outputOf(folder + "/k", isGood);
  if (!isGood) // messages of Clang begin with a kernel's number: it is the name of the file
    text = text.substr(0, 2000) + "\nthe code fails\n";
  if (text.empty() && dropped_.empty())
    std::filesystem::remove_all(folder);
  text = dropped_ + text;
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const std::size_t number =
        line.empty() || !std::isdigit(static_cast<unsigned char>(line[0])) ? whats_.size() : std::stoul(line);
    all += line + "\n";
    if (number < whats_.size())
      all += whats_[number] + "\n", whats_[number] = "(as above)";
    at = end + 1;
  }
  return all.empty() ? "" : all + "the code is in " + folder + "\n";
}

} // namespace pbc::kernel
