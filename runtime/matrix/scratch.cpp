#include <cstdlib>
#include <memory>
#include <new>

namespace pb {
namespace {
struct Free {
  void operator()(void *p) const { std::free(p); }
};
} // namespace

extern "C" void *pb_scratch(long bytes) {
  static constexpr long kLine = 64;
  thread_local std::unique_ptr<void, Free> memory;
  thread_local long size = 0;
  if (bytes > size) {
    memory.reset();
    size = 0;
    const long rounded = (bytes + kLine - 1) / kLine * kLine;
    memory.reset(std::aligned_alloc(kLine, static_cast<std::size_t>(rounded)));
    if (!memory)
      throw std::bad_alloc();
    size = rounded;
  }
  return memory.get();
}

} // namespace pb
