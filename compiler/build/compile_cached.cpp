// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The variants of compile() that use a cache and threads. An entry is a list of the files that were read,
// each with the checksum of its content, followed by the output; an entry whose files have changed is not
// used.
#include "compiler/build/cache.h"
#include "compiler/build/compile.h"
#include "compiler/build/file_states.h"

#include <algorithm>
#include <atomic>
#include <gnu/libc-version.h>
#include <numeric>
#include <optional>
#include <thread>

namespace pbc::build {
namespace {

/// To be changed when the format of entries or the way of compiling changes.
constexpr const char *kEntryForm = "object 2, clang " PBC_LLVM_VERSION;

void appendPart(std::string &entry, const std::string &part) {
  const std::uint64_t size = part.size();
  entry.append(reinterpret_cast<const char *>(&size), sizeof size).append(part);
}

/// Removes the first part from `rest` and returns it; nothing if the entry ends too early.
std::optional<std::string> takePart(std::string_view &rest) {
  std::uint64_t size = 0;
  if (rest.size() < sizeof size)
    return std::nullopt;
  rest.copy(reinterpret_cast<char *>(&size), sizeof size);
  rest.remove_prefix(sizeof size);
  if (rest.size() < size)
    return std::nullopt;
  std::string part(rest.substr(0, size));
  rest.remove_prefix(size);
  return part;
}

std::string pack(const CompileResult &result, const std::string &states) {
  std::string entry;
  appendPart(entry, result.output);
  appendPart(entry, result.messages);
  return entry.append(states);
}

std::optional<CompileResult> unpack(std::string_view entry) {
  CompileResult result;
  auto output = takePart(entry), messages = takePart(entry);
  if (!output || !messages)
    return std::nullopt;
  if (!FileStates::areSame(entry))
    return std::nullopt;
  result.filesRead = FileStates::paths(entry);
  result.ok = result.fromCache = true;
  result.output = std::move(*output);
  result.messages = std::move(*messages);
  return result;
}

} // namespace

CompileResult compile(const CompileRequest &request, Cache &cache) {
  if (!cache.enabled())
    return compile(request);
  CompileResult refused;
  const std::vector<std::string> arguments = frontArguments(request, refused.messages);
  if (arguments.empty())
    return refused;
  Cache::Hasher hasher;
  hasher.add(kEntryForm)
      .add(std::to_string(static_cast<int>(request.wanted)))
      .add(request.name)
      .add(request.text);
  for (const auto &[name, text] : request.files)
    hasher.add(name).add(text);
  // The version of the library that has the vector functions: vector_math.h.
  hasher.add(request.vectorMath ? gnu_get_libc_version() : "scalar");
  hasher.add(request.onlyShared);
  hasher.add("arguments");
  for (const std::string &argument : arguments)
    hasher.add(argument);
  const Cache::Key key = hasher.finish();
  if (auto entry = cache.get(key))
    if (auto result = unpack(*entry))
      return *result;
  const FileStates::Time begin = FileStates::now();
  CompileResult result = compile(request);
  if (result.ok && !result.readsOtherFiles)
    if (const auto states = FileStates::of(result.filesRead, begin))
      cache.put(key, pack(result, *states));
  return result;
}

std::vector<CompileResult> compileAll(const std::vector<CompileRequest> &requests, Cache *cache,
                                      int threads) {
  std::vector<CompileResult> results(requests.size());
  // Long texts come first, so that no thread has to start the longest one at the end.
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].text.size() > requests[b].text.size();
  });
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t k; (k = next++) < order.size();) {
      const CompileRequest &request = requests[order[k]];
      results[order[k]] = cache ? compile(request, *cache) : compile(request);
    }
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < threads && static_cast<std::size_t>(i) < requests.size(); ++i)
    helpers.emplace_back(work);
  work();
  helpers.clear(); // joins
  return results;
}

} // namespace pbc::build
