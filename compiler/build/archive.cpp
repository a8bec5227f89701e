// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/archive.h"

#include <llvm/Object/Archive.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>

namespace pbc::build {
namespace {

std::string textOf(llvm::Error error) { return "error: " + llvm::toString(std::move(error)) + "\n"; }

/// Adds the members of an archive, which must outlive them.
llvm::Error addMembers(const llvm::object::Archive &from, std::vector<llvm::NewArchiveMember> &members) {
  llvm::Error problem = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : from.children(problem)) {
    llvm::Expected<llvm::NewArchiveMember> member = llvm::NewArchiveMember::getOldMember(child, true);
    if (!member)
      return llvm::joinErrors(std::move(problem), member.takeError());
    members.push_back(std::move(*member));
  }
  return problem;
}

} // namespace

LinkResult archive(const LinkRequest &request, pb::base::PendingFiles &files) {
  LinkResult result;
  const auto failed = [&](const std::string &why) {
    result.messages += why;
    return std::move(result);
  };
  std::vector<llvm::NewArchiveMember> members;
  for (const LinkInput &input : request.inputs)
    members.emplace_back(llvm::MemoryBufferRef(input.bytes, input.name));
  auto text = llvm::MemoryBuffer::getFile(runtimeArchive());
  if (!text)
    return failed("error: the runtime library " + runtimeArchive() +
                  " cannot be read; set PBC_RUNTIME to the path of libpbruntime.a\n");
  auto runtime = llvm::object::Archive::create((*text)->getMemBufferRef());
  if (!runtime)
    return failed(textOf(runtime.takeError()));
  if (llvm::Error problem = addMembers(**runtime, members))
    return failed(textOf(std::move(problem)));
  auto made = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                         llvm::object::Archive::K_GNU, true, false);
  if (!made)
    return failed(textOf(made.takeError()));
  result.bytes = (*made)->getBuffer().str();
  try {
    result.written = files.add(request.output, {result.bytes});
  } catch (const pb::base::CannotWrite &problem) {
    return failed("error: cannot write " + request.output + ": " + problem.why + "\n");
  }
  result.filesRead = {runtimeArchive()};
  result.ok = true;
  return result;
}

} // namespace pbc::build
