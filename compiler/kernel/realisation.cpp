// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/realisation.h"

namespace pbc::kernel {
namespace {

struct Name {
  std::string operator()(as::Scalar) const { return "scalar"; }
  std::string operator()(as::Rolled) const { return "rolled"; }
  std::string operator()(as::Vector) const { return "vector"; }
  std::string operator()(as::Jam) const { return "jam"; }
  std::string operator()(as::Unroll) const { return "unroll"; }
  std::string operator()(as::Lanes) const { return "lanes"; }
  std::string operator()(as::Registers) const { return "registers"; }
  std::string operator()(as::Item i) const {
    switch (i.of) {
    case as::Item::Of::Launch:
      return "items";
    case as::Item::Of::Tile:
    case as::Item::Of::Round:
      return "rounds";
    case as::Item::Of::Step:
      return "steps";
    case as::Item::Of::Cell:
    case as::Item::Of::Neighbour:
      return "team";
    }
    return "";
  }
  std::string operator()(as::Rounds) const { return "rounds"; }
  std::string operator()(as::Team) const { return "team"; }
};

struct Text {
  std::string operator()(as::Scalar) const { return "scalar"; }
  std::string operator()(as::Rolled) const { return "rolled"; }
  std::string operator()(as::Vector v) const {
    return (v.interleave ? "vector:" + std::to_string(v.interleave) : "vector") +
           (v.width ? " of " + std::to_string(v.width) : "") +
           (v.streaming.rows
                ? (v.streaming.always ? " streaming:" : " streaming if large:") +
                      std::to_string(v.streaming.rows) + (v.streaming.isStaggered ? " staggered" : "")
                : "");
  }
  std::string operator()(as::Jam j) const { return "jam:" + std::to_string(j.rows); }
  std::string operator()(as::Unroll) const { return "unroll"; }
  std::string operator()(as::Lanes l) const { return "lanes:" + std::to_string(l.count); }
  std::string operator()(as::Registers) const { return "registers"; }
  std::string operator()(as::Item i) const {
    const std::string axis = std::to_string(i.axis);
    constexpr const char *kEach[] = {"item:", "block:", "run:", "turn:"};
    switch (i.of) {
    case as::Item::Of::Launch:
      return kEach[static_cast<int>(i.each)] + axis;
    case as::Item::Of::Tile:
      return "tile:" + axis;
    case as::Item::Of::Round:
      return "summand:" + axis;
    case as::Item::Of::Cell:
      return "cell:" + axis;
    case as::Item::Of::Neighbour:
      return "neighbour:" + axis;
    case as::Item::Of::Step:
      return "step:" + axis;
    }
    return "";
  }
  std::string operator()(as::Rounds) const { return "rounds"; }
  std::string operator()(as::Team t) const {
    return t.folds && t.deals ? "team" : t.folds ? "team:folds" : "team:deals";
  }
  std::string operator()(const Realisation &r) const { return text(r); }
  std::string operator()(const Declare &d) const { return "alloc:" + d.local; }
  std::string operator()(const Label &l) const { return "loop:" + l.name; }
};

struct Words {
  std::string operator()(as::Scalar) const { return "no vectors"; }
  std::string operator()(as::Rolled) const { return "one iteration at a time"; }
  std::string operator()(as::Vector v) const {
    return "vectors" + (v.width ? " of " + std::to_string(v.width) : "") +
           (v.interleave ? ", " + std::to_string(v.interleave) + " at once" : "") +
           (v.streaming.rows == 0 ? ""
            : v.streaming.always  ? ", stored past the caches"
                                  : ", stored past the caches if the matrix is larger than these");
  }
  std::string operator()(as::Jam j) const { return std::to_string(j.rows) + " at once"; }
  std::string operator()(as::Unroll) const { return "unroll"; }
  std::string operator()(as::Lanes l) const { return "vectors in groups of " + std::to_string(l.count); }
  std::string operator()(as::Registers) const { return "blocks in registers"; }
  std::string operator()(as::Item i) const {
    if (i.of == as::Item::Of::Cell || i.of == as::Item::Of::Neighbour)
      return "cells of teams";
    if (i.of == as::Item::Of::Step)
      return "work-items of several rounds";
    if (i.of != as::Item::Of::Launch)
      return "work-items of a tile";
    constexpr const char *kEach[] = {"", "blocks of ", "runs of ", "turns of "};
    return kEach[static_cast<int>(i.each)] + ("work-items along axis " + std::to_string(i.axis));
  }
  std::string operator()(as::Rounds) const { return "rounds of a tile"; }
  std::string operator()(as::Team) const { return "steps of a team"; }
};

} // namespace

std::string name(const Realisation &r) { return std::visit(Name{}, r); }
std::string text(const Realisation &r) { return std::visit(Text{}, r); }
std::string text(const Mark &m) { return std::visit(Text{}, m); }
std::string words(const Realisation &r) { return std::visit(Words{}, r); }

} // namespace pbc::kernel
