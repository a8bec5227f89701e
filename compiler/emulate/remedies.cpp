// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emulate/remedies.h"
#include <algorithm>
#include <array>
#include <iterator>

namespace pbc::emulate {
namespace {

/// What is limited.
struct Limit {
  bool isProcessor;
  Core::Kind kind;
  Mode mode;
  bool operator==(const Limit &) const = default;
};

constexpr bool kProcessor = true, kGpu = false;
using Kind = Core::Kind;

/// By limit; those of one limit stand together.
constexpr struct {
  Limit limit;
  Remedy remedy;
} kTable[] = {
    {{kProcessor, Kind::Memory, Mode::Throughput},
     {"tile", "so that lines are used again while a nearer cache has them"}},
    {{kProcessor, Kind::Memory, Mode::Throughput}, {"order", "so that the innermost loop goes along rows"}},
    {{kProcessor, Kind::Memory, Mode::Throughput},
     {"fuse", "so that what one rule writes is read before it leaves the caches"}},
    {{kProcessor, Kind::Memory, Mode::Latency},
     {"order", "so that the innermost loop goes along rows, which are fetched ahead"}},
    {{kProcessor, Kind::Memory, Mode::Latency}, {"unroll", "so that several lines are on their way at once"}},
    {{kProcessor, Kind::Memory, Mode::Latency},
     {"tile", "so that lines are used again while a nearer cache has them"}},
    {{kProcessor, Kind::Near, Mode::Throughput},
     {"registers", "so that what is loaded serves several points"}},
    {{kProcessor, Kind::Near, Mode::Throughput},
     {"jam", "so that rows beside each other share what they load"}},
    {{kProcessor, Kind::Near, Mode::Throughput}, {"vector", "so that an instruction loads several cells"}},
    {{kProcessor, Kind::Near, Mode::Latency}, {"jam", "so that loads do not wait for those before them"}},
    {{kProcessor, Kind::Near, Mode::Latency}, {"scalar", "so that a sum stays in a register"}},
    {{kProcessor, Kind::Arithmetic, Mode::Throughput},
     {"vector", "so that an instruction computes several cells"}},
    {{kProcessor, Kind::Arithmetic, Mode::Throughput},
     {"registers", "so that products and sums are one instruction of whole vectors"}},
    {{kProcessor, Kind::Arithmetic, Mode::Latency},
     {"jam", "so that several chains of operations are under way"}},
    {{kProcessor, Kind::Arithmetic, Mode::Latency},
     {"partial_sums", "so that a sum has several chains; in `fast` rules only"}},
    {{kProcessor, Kind::Arithmetic, Mode::Latency},
     {"registers", "so that each cell of a block is a chain of its own"}},
    {{kProcessor, Kind::Special, Mode::Throughput},
     {"vector", "so that an instruction computes several cells"}},
    {{kProcessor, Kind::Special, Mode::Latency},
     {"jam", "so that several chains of operations are under way"}},
    {{kProcessor, Kind::Other, Mode::Throughput}, {"vector", "so that fewer instructions do the same"}},
    {{kProcessor, Kind::Other, Mode::Throughput}, {"unroll", "so that loops have fewer branches"}},
    {{kProcessor, Kind::Other, Mode::Latency}, {"unroll", "so that there is one branch for several rounds"}},
    {{kProcessor, Kind::Other, Mode::Latency}, {"order", "so that the innermost loop is a long one"}},
    {{kGpu, Kind::Memory, Mode::Throughput}, {"stage", "so that a group loads once what its items share"}},
    {{kGpu, Kind::Memory, Mode::Throughput},
     {"items", "so that an item with several points uses again what it loaded"}},
    {{kGpu, Kind::Memory, Mode::Throughput}, {"order", "so that neighbouring items load neighbouring cells"}},
    {{kGpu, Kind::Memory, Mode::Latency},
     {"items", "so that an item with several points has several loads under way"}},
    {{kGpu, Kind::Memory, Mode::Latency}, {"unroll", "so that loads stand in front of what uses them"}},
    {{kGpu, Kind::Memory, Mode::Latency},
     {"stage", "with two buffers, so that the next strip comes while items compute"}},
    {{kGpu, Kind::Near, Mode::Throughput},
     {"items", "so that what an item reads of the group's memory serves several points"}},
    {{kGpu, Kind::Near, Mode::Throughput},
     {"stage", "with another layout or pad, so that banks serve all items at once"}},
    {{kGpu, Kind::Near, Mode::Latency},
     {"items", "so that an item with several points has several reads under way"}},
    {{kGpu, Kind::Near, Mode::Latency}, {"unroll", "so that reads stand in front of what uses them"}},
    {{kGpu, Kind::Arithmetic, Mode::Latency},
     {"items", "so that an item with several points has several chains of operations"}},
    {{kGpu, Kind::Special, Mode::Throughput},
     {"items", "so that an index is computed for several points at once"}},
    {{kGpu, Kind::Special, Mode::Throughput}, {"unroll", "so that indices of a loop's rounds are constants"}},
    {{kGpu, Kind::Special, Mode::Latency},
     {"items", "so that an item with several points has several chains of operations"}},
    {{kGpu, Kind::Other, Mode::Throughput},
     {"unroll", "so that loops have fewer instructions beside their work"}},
    {{kGpu, Kind::Other, Mode::Throughput},
     {"items", "so that a group has more work for the same begin and end"}},
    {{kGpu, Kind::Other, Mode::Latency},
     {"stage", "with two buffers, so that a barrier stands before each second strip only"}},
    {{kGpu, Kind::Other, Mode::Latency}, {"items", "so that there is more work between barriers"}},
};

constexpr auto kRemedies = [] {
  std::array<Remedy, std::size(kTable)> all{};
  std::transform(std::begin(kTable), std::end(kTable), all.begin(),
                 [](const auto &row) { return row.remedy; });
  return all;
}();

} // namespace

std::span<const Remedy> remediesFor(const Parameter &p, const Core &core) {
  const Limit limit{core.window > 0,
                    p.resource < 0 ? Kind::Other : core.resources[std::size_t(p.resource)].kind,
                    p.resource == Parameter::kIssue ? Mode::Throughput : p.mode};
  const auto isIt = [&](const auto &row) { return row.limit == limit; };
  const auto first = std::find_if(std::begin(kTable), std::end(kTable), isIt);
  return allRemedies().subspan(
      static_cast<std::size_t>(first - std::begin(kTable)),
      static_cast<std::size_t>(std::find_if_not(first, std::end(kTable), isIt) - first));
}

std::span<const Remedy> allRemedies() { return kRemedies; }

} // namespace pbc::emulate
