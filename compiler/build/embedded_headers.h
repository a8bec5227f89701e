// The headers of runtime/abi as texts inside the compiler: what generated code and rule bodies include as
// "pb/region.h", "pb/task.h" and "pb/program.h", with no file on disk. Made at build time
// (cmake/EmbedHeaders.cmake).
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace pbc::build {

/// Name as included, and text.
const std::vector<std::pair<std::string, std::string>> &abiHeaders();

} // namespace pbc::build
