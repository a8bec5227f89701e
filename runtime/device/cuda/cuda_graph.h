// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Launches, each of which waits for the one before it if it says so, as a graph of CUDA's driver.
//
//   CudaGraph graph({code, code}, {{arguments, grid}, {arguments, grid}});   // throws Failure::Chain
//   graph.launch(stream);                                            // all of them; as often as wanted
//
// A graph holds the addresses and values of its arguments, not the buffers. Invariants: the code stays loaded
// as long as the graph; a graph must not be destroyed while it runs.
#pragma once
#include "runtime/device/cuda/cuda_objects.h"

namespace pb::device {

class CudaGraph {
public:
  using Codes = std::vector<std::shared_ptr<CudaModule>>; // one for each launch
  CudaGraph(Codes codes, const std::vector<ChainLaunch> &);
  CudaGraph(const CudaGraph &) = delete;
  CudaGraph &operator=(const CudaGraph &) = delete;
  ~CudaGraph();
  void launch(CuStream) const;

private:
  const Codes codes_;
  CuGraphExec executable_ = nullptr;
};

/// What the driver takes as arguments: pointers to addresses and values. Must stay where it is.
class CudaArguments {
public:
  explicit CudaArguments(const std::vector<Argument> &);
  CudaArguments(const CudaArguments &) = delete;
  CudaArguments &operator=(const CudaArguments &) = delete;
  void **pointers() { return pointers_.data(); }

private:
  std::vector<unsigned long long> values_;
  std::vector<void *> pointers_;
};

} // namespace pb::device
