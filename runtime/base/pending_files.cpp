// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/pending_files.h"
#include "runtime/base/read_file.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pb::base {

/// A name in a list that signal handlers read. Entries are only ever added to the list; `path` is null while
/// an entry is free. The thread that takes the path out owns the text.
struct Entry {
  std::atomic<char *> path{nullptr};
  std::atomic<bool> isUsed{true};
  pid_t process = 0;
  Entry *next = nullptr;
};

namespace {

std::atomic<Entry *> entries{nullptr};

Entry *enter(const std::string &path) {
  Entry *entry = entries.load();
  for (; entry; entry = entry->next)
    if (bool isUsed = false; entry->isUsed.compare_exchange_strong(isUsed, true))
      break;
  if (!entry) {
    entry = new Entry;
    entry->next = entries.load();
    while (!entries.compare_exchange_weak(entry->next, entry)) {
    }
  }
  entry->process = getpid();
  entry->path = strdup(path.c_str());
  return entry;
}

void leave(Entry *entry) {
  std::free(entry->path.exchange(nullptr));
  entry->isUsed = false;
}

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

/// The number of objects that exist, and of commits that are under way.
std::mutex livesMutex;
int lives = 0;
std::atomic<bool> leavesSignals{false};
std::atomic<int> commits{0};
std::atomic<int> delayed{0}; // a signal that arrived during a commit
std::array<struct sigaction, kSignals.size()> oldActions;
std::array<bool, kSignals.size()> isOurs{};
struct sigaction oldSizeAction;

void endBy(int signal) {
  removePendingFiles();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void onSignal(int signal) {
  if (commits.load())
    delayed = signal;
  else
    endBy(signal);
}

/// Installs handlers only for signals that have none yet: the tuner's own handler, for example, ends the
/// program in order, so that destructors run.
void handleSignals() {
  if (leavesSignals)
    return;
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &oldActions[i]);
    isOurs[i] = oldActions[i].sa_handler == SIG_DFL && !(oldActions[i].sa_flags & SA_SIGINFO);
    if (isOurs[i])
      sigaction(kSignals[i], &action, nullptr);
  }
  // With `ulimit -f`, exceeding the limit then is an error of write() instead of the end of the process.
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, &oldSizeAction);
}

void restoreSignals() {
  if (leavesSignals)
    return;
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    if (isOurs[i])
      sigaction(kSignals[i], &oldActions[i], nullptr);
  sigaction(SIGXFSZ, &oldSizeAction, nullptr);
}

std::string resolved(const std::string &path) {
  char *real = realpath(path.c_str(), nullptr);
  if (!real)
    return path;
  std::string text = real;
  std::free(real);
  return text;
}

/// Includes the last slash, so that a name can follow; "" for the working folder.
std::string folderOf(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

/// The text of a symbolic link; "" if the path is none.
std::string linkText(const std::string &path) {
  std::array<char, 4096> text{};
  const ssize_t length = readlink(path.c_str(), text.data(), text.size());
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "";
}

std::string randomName() {
  std::array<unsigned char, 8> bytes{};
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = getrandom(bytes.data() + done, bytes.size() - done, 0);
    if (n > 0)
      done += static_cast<std::size_t>(n);
  }
  std::string name = ".pb-";
  for (const unsigned char byte : bytes)
    for (const int digit : {byte >> 4, byte & 15})
      name += "0123456789abcdef"[digit];
  return name;
}

bool writeAll(int descriptor, std::initializer_list<std::string_view> parts) {
  for (std::string_view part : parts)
    while (!part.empty()) {
      const ssize_t n = ::write(descriptor, part.data(), part.size());
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return false;
      part.remove_prefix(static_cast<std::size_t>(n));
    }
  return true;
}

/// Closes the descriptor even if something failed, and keeps the first error.
bool closeAfter(int descriptor, bool isGood) {
  const int error = errno;
  if (close(descriptor) != 0)
    return false;
  errno = error;
  return isGood;
}

/// Opens a file, device or pipe for writing; throws CannotWrite.
int openExisting(const std::string &name) {
  for (int waited = 0;; waited += kPipeStep) {
    const int descriptor = open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor >= 0) {
      fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
      return descriptor;
    }
    if (errno != ENXIO)
      throw CannotWrite(name, std::strerror(errno));
    struct stat old{};
    if (stat(name.c_str(), &old) != 0 || !S_ISFIFO(old.st_mode))
      throw CannotWrite(name, std::strerror(ENXIO));
    if (waited >= kPipePatience)
      throw CannotWrite(name, "it is a pipe that no process reads");
    poll(nullptr, 0, kPipeStep);
  }
}

/// Writes into an existing pipe, device, or file whose folder may not be written to. Space for all of a
/// file's new content is reserved first, because the old content cannot be restored.
void writeInPlace(const std::string &name, std::initializer_list<std::string_view> parts, bool isRegular) {
  const int descriptor = openExisting(name);
  long size = 0;
  for (const std::string_view part : parts)
    size += static_cast<long>(part.size());
  struct stat old{};
  if (isRegular && size > 0 && fstat(descriptor, &old) == 0)
    if (const int error = posix_fallocate(descriptor, 0, size)) {
      (void)!ftruncate(descriptor, old.st_size);
      close(descriptor);
      throw CannotWrite(name, std::strerror(error));
    }
  bool isGood = writeAll(descriptor, parts) && (!isRegular || ftruncate(descriptor, size) == 0);
  isGood = closeAfter(descriptor, isGood);
  if (!isGood)
    throw CannotWrite(name, std::strerror(errno));
}

} // namespace

std::string targetOf(const std::string &path) {
  constexpr int kMostLinks = 40; // as Linux
  std::string target = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    const std::string next = linkText(target);
    if (next.empty()) {
      errno = 0;
      return target;
    }
    target = next[0] == '/' ? next : folderOf(target) + next;
  }
  errno = ELOOP;
  return path;
}

void leaveSignals() { leavesSignals = true; }

void removePendingFiles() noexcept {
  const pid_t self = getpid();
  for (Entry *entry = entries.load(); entry; entry = entry->next)
    if (entry->process == self) // a child must not commit the files of its parent
      if (const char *path = entry->path.exchange(nullptr))
        unlink(path);
}

CannotWrite::CannotWrite(const std::string &file, std::string reason)
    : UserError(file + ": cannot be written: " + reason), name(file), why(std::move(reason)) {}

PendingFiles::PendingFiles() {
  const std::lock_guard lock(livesMutex);
  if (lives++ == 0)
    handleSignals();
}

PendingFiles::~PendingFiles() {
  for (const File &file : files_) {
    unlink(file.temporary.c_str());
    leave(file.entry);
  }
  const std::lock_guard lock(livesMutex);
  if (--lives == 0)
    restoreSignals();
}

std::string PendingFiles::add(const std::string &path, std::initializer_list<std::string_view> parts,
                              Kind kind) {
  struct stat old{};
  const bool exists = stat(path.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode))
    throw CannotWrite(path, std::strerror(EISDIR));
  if (!exists && errno == ELOOP)
    throw CannotWrite(path, std::strerror(ELOOP));
  const std::string target = exists ? resolved(path) : targetOf(path);
  const std::string folder = folderOf(target);
  const bool mayCreate = access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
  if (exists && (!S_ISREG(old.st_mode) || !mayCreate)) {
    writeInPlace(path, parts, S_ISREG(old.st_mode));
    return path;
  }
  if (exists && access(target.c_str(), W_OK) != 0)
    throw CannotWrite(path, std::strerror(errno));

  const mode_t mode = kind == Kind::Program ? 0777 : 0666;
  int descriptor = -1;
  File file{nullptr, "", target, path};
  for (int tries = 0; descriptor < 0 && tries < 16; ++tries) {
    file.temporary = folder + randomName();
    file.entry = enter(file.temporary); // entered before it is created, so that it is never left behind
    descriptor =
        open(file.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode);
    const int error = errno;
    if (descriptor < 0)
      leave(file.entry);
    errno = error;
    if (descriptor < 0 && errno != EEXIST)
      break;
  }
  if (descriptor < 0)
    throw CannotWrite(path, std::strerror(errno));
  files_.push_back(file);
  if (exists) {
    const mode_t access = old.st_mode & 07777;
    (void)!fchmod(descriptor, kind == Kind::Program ? access | (access & 0444) >> 2 : access);
  }
  if (!closeAfter(descriptor, writeAll(descriptor, parts)))
    throw CannotWrite(path, std::strerror(errno));
  return file.temporary;
}

void PendingFiles::commit() {
  struct Commit {
    Commit() { ++commits; }
    ~Commit() {
      if (--commits == 0)
        if (const int signal = delayed.exchange(0))
          endBy(signal);
    }
  } const commit;
  while (!files_.empty()) {
    const File &file = files_.front();
    if (std::rename(file.temporary.c_str(), file.target.c_str()) != 0)
      throw CannotWrite(file.name, std::strerror(errno));
    leave(file.entry);
    files_.erase(files_.begin());
  }
}

void writeWhole(const std::string &path, std::string_view bytes, PendingFiles::Kind kind) {
  PendingFiles files;
  files.add(path, {bytes}, kind);
  files.commit();
}

} // namespace pb::base
