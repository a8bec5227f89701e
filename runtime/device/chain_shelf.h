// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chains: launches, most of one kernel, that follow each other (steps of time, the diagonals of a table), given to a
// device as one command. A driver's graph is such a command. Making one costs about as much as giving its
// launches one by one; giving it again costs about as much as one launch. So a device keeps the graphs that
// it made, and makes none for a short chain that it sees for the first time.
//
//   ChainShelf<Graph> shelf;
//   ChainKey key(kernelNumber, launches, addressOf, numberOf); // all that the graph would hold
//   if (!shelf.isWorthIt(key))                           // short, and never seen before
//     return nullptr;
//   Graph *graph = shelf.find(key);
//   if (!graph)
//     graph = &shelf.keep(std::move(key), make(launches));
//
//   chain of                             first time   second time   third time
//   3 launches                           one by one   one by one    one by one
//   4 to 63 launches                     one by one   made          given again
//   64 to 256 launches                   made         given again   given again
//
// Invariants: find() gives a graph only if it was made from exactly these kernels, addresses, values and
// grids; so it may be given again although buffers were freed and others lie at their addresses. At most
// kMost graphs are kept, those that were used last. Only the management thread calls a shelf.
#pragma once
#include "runtime/device/device.h"
#include <list>
#include <set>
#include <unordered_map>

namespace pb::device {

constexpr std::size_t kShortestChain = 4;  // launches that are ever given as a chain
constexpr std::size_t kLongChain = 64;     // from here on a chain pays although it may never come again
constexpr std::size_t kLongestChain = 256; // more would keep the management thread for too long at once

/// All that a chain depends on, as numbers.
class ChainKey {
public:
  /// `addressOf(Buffer &)`: where the device has the buffer. `kernel`: a number that no other kernel of the
  /// device ever has, and `numberOf(Kernel &)` that of a launch with a kernel of its own.
  template <class AddressOf, class NumberOf>
  ChainKey(unsigned long kernel, const std::vector<ChainLaunch> &launches, AddressOf &&addressOf,
           NumberOf &&numberOf)
      : length(launches.size()), words_{kernel} {
    for (const ChainLaunch &launch : launches) {
      for (const Argument &a : launch.arguments)
        words_.push_back(a.buffer ? addressOf(*a.buffer) : static_cast<unsigned long>(a.value));
      words_.push_back(launch.waits);
      words_.push_back(launch.kernel ? numberOf(*launch.kernel) : kernel);
      for (int d = 0; d < 3; ++d) {
        words_.push_back(static_cast<unsigned long>(launch.grid.items[d]));
        words_.push_back(static_cast<unsigned long>(launch.grid.group[d]));
      }
    }
    for (const unsigned long word : words_)
      hash_ = (hash_ ^ word) * 0x9e3779b97f4a7c15UL, hash_ ^= hash_ >> 29;
  }
  unsigned long hash() const { return hash_; }
  bool operator==(const ChainKey &other) const { return words_ == other.words_; }

  std::size_t length; // in launches

private:
  std::vector<unsigned long> words_;
  unsigned long hash_ = 0;
};

template <class Graph>
class ChainShelf {
public:
  static constexpr std::size_t kMost = 64;

  /// Whether the chain should be given as a graph; records that it was seen.
  bool isWorthIt(const ChainKey &key) {
    if (key.length < kShortestChain || key.length > kLongestChain)
      return false;
    if (key.length >= kLongChain || index_.count(key.hash()))
      return true;
    if (seen_.count(key.hash()))
      return true;
    if (seen_.size() >= kMostSeen)
      seen_.clear();
    seen_.insert(key.hash());
    return false;
  }
  /// Null if there is none. The pointer is valid until the next call of keep().
  Graph *find(const ChainKey &key) {
    const auto at = index_.find(key.hash());
    if (at == index_.end() || !(at->second->key == key))
      return nullptr;
    kept_.splice(kept_.begin(), kept_, at->second);
    return &at->second->graph;
  }
  Graph &keep(ChainKey key, Graph graph) {
    const unsigned long hash = key.hash();
    if (const auto old = index_.find(hash); old != index_.end()) { // another chain with this hash
      kept_.erase(old->second);
      index_.erase(old);
    }
    if (kept_.size() >= kMost) {
      index_.erase(kept_.back().key.hash());
      kept_.pop_back();
    }
    kept_.push_front({std::move(key), std::move(graph)});
    index_[hash] = kept_.begin();
    return kept_.front().graph;
  }

private:
  static constexpr std::size_t kMostSeen = 1024;
  struct Kept {
    ChainKey key;
    Graph graph;
  };
  std::list<Kept> kept_; // the one that was used last is first
  std::unordered_map<unsigned long, typename std::list<Kept>::iterator> index_; // by hash
  std::set<unsigned long> seen_;                                                // hashes of short chains
};

} // namespace pb::device
