// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/cubin/instruction.h"
#include <utility>

namespace pbc::cubin {
namespace {

constexpr std::pair<unsigned, Kind> kOperations[] = {
    {0x023, Kind::MultiplyAdd}, // FFMA
    {0x02b, Kind::MultiplyAdd}, // DFMA
    {0x031, Kind::MultiplyAdd}, // HFMA2
    {0x181, Kind::GlobalLoad},  {0x186, Kind::GlobalStore}, {0x184, Kind::SharedLoad},
    {0x1ae, Kind::GlobalCopy},  {0x188, Kind::SharedStore}, {0x183, Kind::LocalLoad},
    {0x187, Kind::LocalStore},  {0x11d, Kind::Barrier},     {0x147, Kind::Branch},
    {0x118, Kind::Padding},     {0x189, Kind::Shuffle},     {0x11a, Kind::CopyWait},
    {0x14d, Kind::Exit},
};

constexpr int kBytes[] = {1, 1, 2, 2, 4, 8, 16, 0};

bool isAccess(Kind kind) {
  return kind == Kind::GlobalLoad || kind == Kind::GlobalStore || kind == Kind::GlobalCopy ||
         kind == Kind::SharedLoad || kind == Kind::SharedStore || kind == Kind::LocalLoad ||
         kind == Kind::LocalStore;
}

/// From the end of a branch to its target, in bytes.
long distance(const std::array<std::uint64_t, 2> &word, int architecture) {
  const std::uint64_t high = (word[1] & 0x3ffff) << 30 | word[0] >> 34; // 48 bits
  std::int64_t words = static_cast<std::int64_t>(high << 16) >> 16;
  if (architecture >= 90)
    words = words * 256 + static_cast<std::int64_t>(word[0] >> 16 & 0xff);
  return static_cast<long>(words * 4);
}

/// Never executed: the predicate is "not true". The assembler puts three such reads in front of copies in the background.
bool isSkipped(const std::array<std::uint64_t, 2> &word) { return (word[0] >> 12 & 0xf) == 0xf; }

} // namespace

Instruction decode(const std::array<std::uint64_t, 2> &word, long place, int architecture) {
  Instruction made;
  made.place = place;
  made.word = word;
  for (const auto &[operation, kind] : kOperations)
    if ((word[0] & 0x1ff) == operation && !isSkipped(word))
      made.kind = kind;
  if (isAccess(made.kind))
    made.bytes = kBytes[word[1] >> 9 & 7];
  if (made.kind == Kind::Branch)
    made.target = place + 16 + distance(word, architecture);
  return made;
}

} // namespace pbc::cubin
