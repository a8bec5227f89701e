// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A recorded space: a kernel at some sizes, the machine on which every program of the space was measured, and their times. Bounds and
// searches are tested with it on any machine.
//
//   Record record = readRecord("sums.record");
//   RecordedTimes times(record);
//   NestModel model(kernelOf(record, context), record.options, ratesOf(record.machine, record.processor), times);
//   search(model, {})                                 the same result everywhere, and always
//
// The file is compressed text: a line of JSON about the kernel and the machine, and a line for each script with its time and what
// differs from the line before. Times are rounded to five digits. Invariant: readRecord() gives what writeRecord() was given.
// Source of the idea: the simulation mode of Kernel Tuner; lower-bound-search.md, section 10, tests 7 and 8.
#pragma once
#include "compiler/model/machine/machine.h"
#include "compiler/search/nest/nest_space.h"
#include "compiler/search/prove/times.h"
#include "runtime/base/machine.h"
#include <map>
#include <string>

namespace pbc::search {

struct Record {
  std::string name, kernel; // of the kernel; its text
  NestOptions options;      // with the values of its sizes
  model::Machine machine;   // the rates as they were when the times were measured
  pb::base::Machine processor;
  std::string date;                         // of the last measurement, "2026-11-26"
  std::string defaultScript;                // what the compiler does by itself
  double defaultSeconds = 0;                // 0: not measured
  std::map<std::string, Measurement> times; // by script, in one line
};

/// Both throw std::runtime_error with a sentence.
Record readRecord(const std::string &path);
void writeRecord(const Record &, const std::string &path);

/// The kernel of its text. Throws std::runtime_error with a message.
kernel::Scheduled kernelOf(const Record &, const poly::Context &);

/// The script with the least time, and this time; "" and 0 if nothing was measured.
std::pair<std::string, double> fastest(const Record &);

/// The times of a record. A script that it does not have was not measured.
class RecordedTimes : public Times {
public:
  explicit RecordedTimes(const Record &record) : record_(record) {}
  Measurement of(const script::Script &, double most) override;

private:
  const Record &record_;
};

} // namespace pbc::search
