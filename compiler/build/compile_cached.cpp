// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The forms of compile() that use a cache and threads. An entry is the output, the messages and the files that
// were read (entry.h); an entry whose files have changed is not used.
#include "compiler/build/cache.h"
#include "compiler/build/compile.h"
#include "compiler/build/entry.h"
#include "compiler/build/file_states.h"

#include <algorithm>
#include <atomic>
#include <gnu/libc-version.h>
#include <numeric>
#include <optional>
#include <thread>

namespace pbc::build {
namespace {

/// The number must be raised when the format of entries or the way of compiling changes.
constexpr const char *kEntryForm = "object 3, clang " PBC_LLVM_VERSION;

std::string pack(const CompileResult &result, const std::string &states) {
  std::string entry;
  appendPart(entry, result.output);
  appendPart(entry, result.messages);
  return entry.append(states);
}

std::optional<CompileResult> unpack(std::string_view entry) {
  auto output = takePart(entry), messages = takePart(entry);
  if (!output || !messages)
    return std::nullopt;
  if (!FileStates::areSame(entry))
    return std::nullopt;
  CompileResult result;
  result.filesRead = FileStates::paths(entry);
  result.ok = result.fromCache = true;
  result.output = *output;
  result.messages = *messages;
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
