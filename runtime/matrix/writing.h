// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes a matrix to a file: checked before the computation, and written completely or not at all.
//
//   OutputFile out("blurred.png", "B", {640, 480}, "[w, h]");   // throws now if it could not be written later
//   ... compute ...
//   out.write(matrix);                                          // to a temporary file, renamed to the target
//   out.write(matrix, files);                                   // the same, renamed with others (PendingFiles)
//
// Formats by extension: `.npy` (the matrix' exact element type, C order), `.png`, `.pgm`, `.ppm`; every other
// name and `-` (standard output): the text format. `/dev/null` is skipped. Invariant: a regular target has
// its old content or the whole new one, whenever the program ends.
#pragma once
#include "runtime/base/pending_files.h"
#include "runtime/matrix/matrix.h"

namespace pb::matrix {

class OutputFile {
public:
  /// Throws base::UserError when the folder is missing, something is not writable, or the format cannot hold
  /// the matrix.
  OutputFile(std::string name, const Extents &, std::string declared);
  bool skipped() const { return format_ == Format::None; }
  bool isStandardOutput() const { return name_ == "-"; }
  const std::string &name() const { return name_; }
  /// The file itself, with symbolic links followed; shows whether two outputs are the same file.
  const std::string &target() const { return target_; }
  void write(const Matrix &) const;
  /// The file gets its name when `files` are committed; standard output, pipes and devices are written now.
  void write(const Matrix &, base::PendingFiles &files) const;

private:
  enum class Format { None, Text, Npy, Png, Pnm };
  static Format formatOf(const std::string &name);
  void checkTarget();
  std::string name_, declared_, target_;
  Format format_;
};

/// Each number as `%4.8g `, one row per line (language reference 4.4); integers in full.
std::string encodeText(const Matrix &);
std::string encodePng(const std::string &file, const Matrix &, const std::string &declared);
std::string encodePnm(const std::string &file, const Matrix &, const std::string &declared);
/// The bytes before the elements of a .npy file.
std::string npyHeader(const Matrix &);

} // namespace pb::matrix
