// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/regular_files.h"
#include "compiler/source/source.h"
#include <llvm/Support/VirtualFileSystem.h>

namespace pbc::body {
namespace {

class RegularFiles : public llvm::vfs::ProxyFileSystem {
public:
  RegularFiles() : ProxyFileSystem(llvm::vfs::getRealFileSystem()) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override {
    auto found = ProxyFileSystem::status(path);
    if (found && !found->isRegularFile() && !found->isDirectory())
      return std::make_error_code(std::errc::operation_not_supported);
    if (found && found->isRegularFile() && found->getSize() > source::SourceManager::kLargestFile)
      return std::make_error_code(std::errc::file_too_large);
    return found;
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override {
    const auto found = status(path); // opening a pipe would wait for its other end
    if (!found)
      return found.getError();
    return ProxyFileSystem::openFileForRead(path);
  }
};

} // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> regularFiles() {
  return llvm::makeIntrusiveRefCnt<RegularFiles>();
}

} // namespace pbc::body
