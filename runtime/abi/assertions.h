// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// JASSERT, JWARNING and JTRACE of rule bodies: each takes a condition or a text, then values to print, then a
// message.
//
//   JASSERT(n > 0)(n)(m).Text("sizes");   // prog: error: JASSERT(n > 0) failed at prog.pbcc:12: sizes
//                                         //   n = 0
//                                         //   m = 7
//   JWARNING(x < 1)(x)("too large");      // the same as a warning, and the program goes on
//   JTRACE("step")(x);                    // prints in any case
//
// A macro cannot call itself, so PB_VALUE_A and PB_VALUE_B hand the chain of parentheses to each other. The
// last of the two, which no parentheses follow, is not expanded: it is a member of that name. Freestanding.
#pragma once

namespace pb {

enum class ReportKind : int { Failure, Warning, Trace };

extern "C" {
/// Appends formatted text to `text`, which has room for `size` characters.
void pb_append(char *text, unsigned long size, const char *format, ...);
/// Prints a report's text; after a Failure the program ends with status 1.
void pb_report(ReportKind, const char *text);
[[noreturn]] void pb_report_failure(const char *text);
/// What went wrong in the last call of the C library.
const char *pb_error_text();
}

template <class Self>
class Report {
public:
  Self &PB_VALUE_A = static_cast<Self &>(*this), &PB_VALUE_B = static_cast<Self &>(*this);

  Self &Text(const char *message) {
    pb_append(message_, sizeof message_, message_[0] ? " %s" : ": %s", message);
    return PB_VALUE_A;
  }
  template <class S>
    requires requires(const S &s) { s.c_str(); }
  Self &Text(const S &message) {
    return Text(message.c_str());
  }

  ///   /// One `(value)` of the chain; `name` is its text in the source. A string literal is a message.
  template <class T>
  Self &value(const char *name, const T &v) {
    if constexpr (requires(const char *text) { text = v; }) {
      if (name[0] == '"')
        return Text(v);
      pb_append(values_, sizeof values_, "\n  %s = %s", name, static_cast<const char *>(v));
    } else if constexpr (requires { v.c_str(); })
      pb_append(values_, sizeof values_, "\n  %s = %s", name, v.c_str());
    else if constexpr (requires(const void *p) { p = v; })
      pb_append(values_, sizeof values_, "\n  %s = %p", name, static_cast<const void *>(v));
    else if constexpr (requires { static_cast<double>(v); })
      number(name, v);
    else
      pb_append(values_, sizeof values_, "\n  %s = (no number or text)", name);
    return PB_VALUE_A;
  }

protected:
  const char *text() {
    pb_append(head_, sizeof head_, "%s%s", message_, values_);
    return head_;
  }

private:
  friend Self;
  Report(const Report &) = delete;
  Report(const char *format, const char *what, const char *file, int line) {
    pb_append(head_, sizeof head_, format, what, file, line);
  }
  /// Objects of a class print as an element if they convert to one, as 0-d regions do.
  template <class T>
  void number(const char *name, const T &v) {
    if constexpr (__is_class(T) || __is_same(T, double) || __is_same(T, float) || __is_same(T, long double))
      pb_append(values_, sizeof values_, "\n  %s = %.10g", name, static_cast<double>(v));
    else
      pb_append(values_, sizeof values_, "\n  %s = %lld", name, static_cast<long long>(v));
  }
  char head_[1400] = {}, message_[300] = {}, values_[800] = {};
};

struct AssertionFailure : Report<AssertionFailure> {
  AssertionFailure(const char *condition, const char *file, int line)
      : Report("JASSERT(%s) failed at %s:%d", condition, file, line) {}
  [[noreturn]] ~AssertionFailure() noexcept(false) { pb_report_failure(text()); }
};

struct Warning : Report<Warning> {
  Warning(const char *condition, const char *file, int line)
      : Report("JWARNING(%s) failed at %s:%d", condition, file, line) {}
  ~Warning() { pb_report(ReportKind::Warning, text()); }
};

struct Trace : Report<Trace> {
  Trace(const char *what, const char *file, int line) : Report("%s at %s:%d", what, file, line) {}
  ~Trace() { pb_report(ReportKind::Trace, text()); }
};

} // namespace pb

#define JASSERT(condition)                                                                                   \
  if (static_cast<bool>(condition)) {                                                                        \
  } else                                                                                                     \
    ::pb::AssertionFailure(#condition, __FILE__, __LINE__).PB_VALUE_A
#define JWARNING(condition)                                                                                  \
  if (static_cast<bool>(condition)) {                                                                        \
  } else                                                                                                     \
    ::pb::Warning(#condition, __FILE__, __LINE__).PB_VALUE_A
#define JTRACE(text) ::pb::Trace(text, __FILE__, __LINE__).PB_VALUE_A
#define JNOTE(text) JTRACE(text)
#define JASSERT_ERRNO (::pb::pb_error_text())
#define PB_VALUE_A(v) value(#v, v).PB_VALUE_B
#define PB_VALUE_B(v) value(#v, v).PB_VALUE_A
