// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a nest has to do, whatever its schedule: operations, cells and dependent chains, each as the least that any program
// needs that computes the kernel.
//
//   for y, x, i < 256:  C[x, y] += A[i, y] * B[x, i]
//   => 2^24 additions and multiplications of doubles; A, B, C of 2^16 cells of 8 bytes; cells of C are sums of 256 terms
//
// An operation that does not move with a loop is done once for it, and operations that are the same but for a translation are
// done once: a compiler may find either. Source: lower-bound-search.md, sections 5.2 and 9.2.
#pragma once
#include "compiler/search/nest/nest_facts.h"
#include <array>
#include <optional>

namespace pbc::search {

/// The types for which machines have rates.
enum class Number : std::uint8_t { Float, Double };
inline constexpr std::size_t kNumbers = 2;

struct NestWork {
  struct Operations {
    double additions = 0, multiplications = 0; // subtractions are additions
    double divisions = 0, roots = 0;
  };
  std::array<Operations, kNumbers> operations; // by Number

  /// Operations of one kind that one execution of the body can do side by side, at most: those that do not wait for each other.
  struct Together {
    double additions = 0, multiplications = 0; // infinite: loops of the body have more than can be said
    bool isOneSum =
        true; // all additions are to the sums of the nest, so that its iterations along sums wait for each other
  };
  std::array<Together, kNumbers> together; // by Number

  /// The loops of the nest with which each coordinate of a cell moves.
  struct Access {
    std::vector<std::vector<std::size_t>> coordinates;
  };
  /// A matrix that is read or written.
  struct Array {
    std::string name;
    long bytes = 0; // of a cell
    bool isWritten = false;
    bool isRead =
        false; // before all of its cells have been written: a sum that goes on from what is there reads it, too
    double cells = 0; // different ones, in the whole nest
    std::vector<Access> accesses;
    /// Whether an execution of the body uses one cell, and computes with it: no copy, which may be a call of memcpy. The loops of the
    /// nest that then move along rows.
    std::optional<std::vector<std::size_t>> alongRows = std::nullopt;
    /// Of an array that one statement stores, whole cells and none twice: the loop that runs along its rows.
    std::optional<std::size_t> storedAlong = std::nullopt;
  };
  std::vector<Array> arrays;

  /// Operations each of which needs the result of the one before.
  struct Chain {
    Number number;
    bool isProduct; // of multiplications instead of additions
    double length;
  };
  std::vector<Chain> chains;

  /// A sum of products over three loops, of three arrays that move with two of them each: a product of matrices.
  bool isProductOfMatrices = false;
  double points =
      0; // iterations of the nest, where each loop has all of its own for all values of the others
  double instances = 0;  // of the statement that has most, at least
  long elementBytes = 0; // of the arrays of a product
};

/// At the sizes for which the facts were found.
NestWork workOf(const NestFacts &, const std::map<std::string, long> &values);

} // namespace pbc::search
