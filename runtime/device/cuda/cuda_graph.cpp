// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/cuda_graph.h"

#include <utility>

namespace pb::device {
namespace {

/// A graph that cannot be run yet.
struct CuGraphOwner {
  const Cuda &cuda;
  CuGraph graph = nullptr;
  ~CuGraphOwner() {
    if (graph)
      cuda.cuGraphDestroy(graph);
  }
};

CuGraphExec instantiate(const CudaGraph::Codes &codes, const std::vector<ChainLaunch> &launches) {
  const Cuda &cuda = codes.front()->context->cuda;
  CuGraphOwner owner{cuda};
  require(cuda, cuda.cuGraphCreate(&owner.graph, 0), Failure::Chain, "cuGraphCreate");
  std::vector<CuGraphNode> before, last;
  auto code = codes.begin();
  for (const ChainLaunch &l : launches) {
    CudaArguments arguments(l.arguments);
    CuKernelNode node{
        .function = (*code)->function, .localBytes = (*code)->localBytes, .arguments = arguments.pointers()};
    ++code;
    for (int d = 0; d < 3; ++d) {
      node.grid[d] = static_cast<unsigned>(l.grid.items[d] / l.grid.group[d]);
      node.group[d] = static_cast<unsigned>(l.grid.group[d]);
    }
    if (l.waits)
      before = std::exchange(last, {});
    last.push_back(nullptr);
    require(cuda,
            cuda.cuGraphAddKernelNode(&last.back(), owner.graph, before.empty() ? nullptr : before.data(),
                                      before.size(), &node),
            Failure::Chain, "cuGraphAddKernelNode");
  }
  CuGraphExec executable = nullptr;
  require(cuda, cuda.cuGraphInstantiate(&executable, owner.graph, 0), Failure::Chain, "cuGraphInstantiate");
  return executable;
}

} // namespace

CudaArguments::CudaArguments(const std::vector<Argument> &arguments) {
  values_.reserve(arguments.size()); // pointers point into it
  for (const Argument &argument : arguments) {
    values_.push_back(argument.buffer ? static_cast<CudaBuffer *>(argument.buffer)->memory.address
                                      : static_cast<unsigned long long>(argument.value));
    pointers_.push_back(&values_.back());
  }
}

CudaGraph::CudaGraph(Codes codes, const std::vector<ChainLaunch> &launches) : codes_(std::move(codes)) {
  try {
    executable_ = instantiate(codes_, launches);
  } catch (const DeviceError &problem) {
    if (problem.failure() == Failure::Lost)
      throw;
    throw DeviceError(Failure::Chain, problem.what()); // also where memory is short
  }
}

CudaGraph::~CudaGraph() {
  codes_.front()->context->enter();
  codes_.front()->context->cuda.cuGraphExecDestroy(executable_);
}

void CudaGraph::launch(CuStream stream) const {
  const Cuda &cuda = codes_.front()->context->cuda;
  require(cuda, cuda.cuGraphLaunch(executable_, stream), Failure::Launch, "cuGraphLaunch");
}

} // namespace pb::device
