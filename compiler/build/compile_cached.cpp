// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The forms of compile() that use a cache and threads. An entry is the output, the messages and the files that
// were read (entry.h); an entry whose files have changed is not used.
#include "compiler/build/cache.h"
#include "compiler/build/compile.h"
#include "compiler/build/entry.h"
#include "compiler/build/file_states.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <gnu/libc-version.h>
#include <iterator>
#include <mutex>
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

struct Compilations::State {
  Cache *const cache;
  std::mutex mutex;
  std::condition_variable changed;
  // Both stay where they are while others are added: threads work on them.
  std::deque<CompileRequest> requests;
  std::deque<CompileResult> results;
  std::vector<std::size_t> waiting;
  bool isComplete = false;
  std::vector<std::jthread> threads;

  /// Compiles what waits; until there is nothing left, or nothing more can come.
  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !waiting.empty() || isComplete; });
      if (waiting.empty())
        return;
      const auto longest =
          std::max_element(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
            return requests[a].text.size() < requests[b].text.size();
          });
      CompileRequest &request = requests[*longest];
      CompileResult &result = results[*longest];
      waiting.erase(longest);
      lock.unlock();
      CompileResult made = cache ? compile(request, *cache) : compile(request);
      lock.lock();
      result = std::move(made);
    }
  }

  void complete() {
    {
      const std::lock_guard lock(mutex);
      isComplete = true;
    }
    changed.notify_all();
  }
};

Compilations::Compilations(Cache *cache, int threads)
    : state_(new State{.cache = cache,
                       .mutex = {},
                       .changed = {},
                       .requests = {},
                       .results = {},
                       .waiting = {},
                       .threads = {}}) {
  for (int k = 0; k < threads; ++k)
    state_->threads.emplace_back([state = state_.get()] { state->work(); });
}

Compilations::~Compilations() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->waiting.clear();
  }
  state_->complete();
}

void Compilations::add(std::vector<CompileRequest> requests) {
  {
    const std::lock_guard lock(state_->mutex);
    for (CompileRequest &request : requests) {
      state_->waiting.push_back(state_->requests.size());
      state_->requests.push_back(std::move(request));
      state_->results.emplace_back();
    }
  }
  state_->changed.notify_all();
}

std::vector<CompileResult> Compilations::finish() {
  state_->complete();
  state_->work();
  state_->threads.clear(); // joins
  return {std::make_move_iterator(state_->results.begin()), std::make_move_iterator(state_->results.end())};
}

std::vector<CompileResult> compileAll(const std::vector<CompileRequest> &requests, Cache *cache,
                                      int threads) {
  Compilations all(cache, std::min(threads, static_cast<int>(requests.size())) - 1);
  all.add(requests);
  return all.finish();
}

} // namespace pbc::build
