// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/errors.h"
#include "runtime/abi/body.h"
#include "runtime/base/pending_files.h"
#include "runtime/base/visible.h"
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace pb {
namespace base {
namespace {
constexpr int kGaveUp = 66; // language reference 4.3
const char *nameOfProgram = "program";
FailureNote *failureNote = nullptr;
std::atomic<bool> isLibrary = false;
std::atomic<void (*)(const std::string &)> sayForLibrary = nullptr;

/// Prints a line, or hands it to the caller of a library.
void sayLine(const std::string &line) {
  if (!isLibrary.load(std::memory_order_relaxed)) {
    std::fprintf(stderr, "%s\n", line.c_str());
  } else if (auto *const say = sayForLibrary.load(std::memory_order_relaxed)) {
    say(line);
  }
}

[[noreturn]] void endProgram(FailureNote::Kind kind, const char *text, int status = 1) {
  if (isLibrary.load(std::memory_order_relaxed))
    throw Failure(kind, visible(text).c_str());
  if (failureNote) {
    std::snprintf(failureNote->text, sizeof failureNote->text, "%s", text);
    failureNote->kind = kind;
  } else {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: error: %s\n", nameOfProgram, visible(text).c_str());
  }
  removePendingFiles(); // those of another worker, or of a rule
  _exit(status);
}

thread_local const CheckedRule *enteredRule = nullptr;

/// "rule `inside` of `Smooth`: " for a place in a rule's body; "" elsewhere, and in programs that were compiled
/// without --bounds-check. The rule that the thread runs comes first, because several rules may share a line.
const char *ruleAt(const char *file, int line, char (&text)[300]) {
  const auto holds = [&](const CheckedRule &r) {
    return r.firstLine <= line && line <= r.lastLine && !std::strcmp(r.file, file);
  };
  const CheckedRule *rule = enteredRule && holds(*enteredRule) ? enteredRule : CheckedRule::all;
  while (rule && !holds(*rule))
    rule = rule->next;
  std::snprintf(text, sizeof text, rule ? "%s: " : "", rule ? rule->rule : "");
  return text;
}
} // namespace

void setProgramName(const char *name) { nameOfProgram = name; }
const char *programName() { return nameOfProgram; }
void printError(const std::string &text) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s: error: %s\n", nameOfProgram, visible(text).c_str());
}
void printWarning(const std::string &text) { sayLine(visible(text)); }
void noteFailuresIn(FailureNote *note) { failureNote = note; }

void throwFailures(void (*say)(const std::string &)) {
  sayForLibrary = say;
  isLibrary = true;
}

void failForMemory(const char *text) { endProgram(FailureNote::OutOfMemory, text); }

} // namespace base

const CheckedRule *CheckedRule::all = nullptr;

extern "C" {

void pb_no_element(const char *array, long index, int length) {
  char text[256];
  std::snprintf(text, sizeof text, "the tunable array %s has %d element%s; [%ld] is none of them", array,
                length, length == 1 ? "" : "s", index);
  base::endProgram(base::FailureNote::Failed, text);
}

void pb_fail(const char *text) { base::endProgram(base::FailureNote::Failed, text); }

void pb_append(char *text, unsigned long size, const char *format, ...) {
  const unsigned long used = std::strlen(text);
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

void pb_report(ReportKind kind, const char *text) {
  if (kind == ReportKind::Failure)
    pb_fail(text);
  const char *const word = kind == ReportKind::Warning ? "warning: " : "trace: ";
  if (base::isLibrary) // whose caller knows where it comes from
    return base::sayLine(word + base::visible(text));
  std::fflush(stdout);
  base::sayLine(std::string(base::nameOfProgram) + ": " + word + base::visible(text));
}

void pb_report_failure(const char *text) { pb_fail(text); }

const char *pb_error_text() { return std::strerror(errno); }

void pb_give_up() {
  base::endProgram(base::FailureNote::Failed, "a rule gave up (PetabricksRuntime::abort)", base::kGaveUp);
}

bool pb_explain(Message *why, const char *format, ...) {
  if (!why)
    return false;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(why->text, sizeof why->text, format, arguments);
  va_end(arguments);
  return false;
}

void pb_verify_accuracy(const char *transform, int bin, double found, double target, Better better) {
  if (better == Better::Larger ? found >= target : found <= target)
    return;
  char number[24] = "", text[300];
  if (bin >= 0)
    std::snprintf(number, sizeof number, "<%d>", bin);
  std::snprintf(text, sizeof text, "%s%s: the accuracy is %.6g, but verify_accuracy asks for %.6g or %s",
                transform, number, found, target, better == Better::Larger ? "more" : "less");
  base::endProgram(base::FailureNote::Inaccurate, text);
}

void pb_recursion_too_deep(const char *transform, long n) {
  char text[512];
  std::snprintf(text, sizeof text,
                "%s calls itself too deeply, here with size %ld: the chosen rule never reaches a base case "
                "(choose another rule for small sizes in the configuration)",
                transform, n);
  base::endProgram(base::FailureNote::RecursionTooDeep, text);
}

void pb_enter_rule(const CheckedRule *rule) { base::enteredRule = rule; }

void pb_out_of_bounds(int dimension, long index, long extent, const char *file, int line) {
  char rule[300], text[900];
  std::snprintf(text, sizeof text,
                "%.400s:%d: %saccess outside a region: coordinate %d (x is 0) is %ld, the extent is %ld",
                file, line, base::ruleAt(file, line, rule), dimension, index, extent);
  base::endProgram(base::FailureNote::Failed, text);
}

void pb_wrong_size(int dimension, long size, const char *file, int line) {
  char rule[300], text[900];
  std::snprintf(text, sizeof text,
                "%.400s:%d: %sa matrix cannot be allocated: its size in dimension %d (x is 0) "
                "is %ld; a size is a number from 0 to 2147483647",
                file, line, base::ruleAt(file, line, rule), dimension, size);
  base::endProgram(base::FailureNote::Failed, text);
}
}

bool pb_overlap_ranges(const void *a, long aLow, long aHigh, const void *b, long bLow, long bHigh) {
  if (aLow >= aHigh || bLow >= bHigh)
    return false;
  const auto first = reinterpret_cast<__UINTPTR_TYPE__>(a), second = reinterpret_cast<__UINTPTR_TYPE__>(b);
  return first + aLow < second + bHigh && second + bLow < first + aHigh;
}

} // namespace pb
