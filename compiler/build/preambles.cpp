// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/preambles.h"
#include "compiler/build/entry.h"
#include "compiler/build/file_states.h"

namespace pbc::build {
namespace {

/// The number must be raised when the format of entries or the way of parsing changes.
constexpr const char *kPreambleForm = "preamble 2, clang " PBC_LLVM_VERSION;

} // namespace

Cache::Key Preambles::key(const preamble::Request &request) {
  Cache::Hasher hasher;
  hasher.add(kPreambleForm).add(request.text);
  for (const auto &[name, text] : request.files)
    hasher.add(name).add(text);
  hasher.add("arguments");
  for (const std::string &argument : request.arguments)
    hasher.add(argument);
  return hasher.finish();
}

preamble::Shared Preambles::find(const Cache::Key &key) const {
  if (!cache_)
    return nullptr;
  auto entry = cache_->get(key);
  if (!entry)
    return nullptr;
  std::string_view rest = *entry;
  const auto bytes = takePart(rest);
  if (!bytes)
    return nullptr;
  if (!FileStates::areSame(rest))
    return nullptr;
  auto found = std::make_shared<preamble::Preamble>();
  found->bytes = *bytes;
  found->filesRead = FileStates::paths(rest);
  return found;
}

preamble::Shared Preambles::get(const preamble::Request &request) {
  const Cache::Key wanted = key(request);
  std::lock_guard lock(mutex_);
  if (const auto at = known_.find(wanted); at != known_.end())
    return at->second;
  preamble::Shared headers = find(wanted);
  if (!headers) {
    ++parsed_;
    const FileStates::Time begin = FileStates::now();
    headers = preamble::make(request);
    if (headers && cache_ && cache_->enabled() && headers->bytes.size() <= kMostBytesKept)
      if (const auto states = FileStates::of(headers->filesRead, begin)) {
        std::string entry;
        appendPart(entry, headers->bytes);
        cache_->put(wanted, entry + *states);
      }
  }
  return known_[wanted] = headers;
}

preamble::Source Preambles::source() {
  return [this](const preamble::Request &request) { return get(request); };
}

} // namespace pbc::build
