// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/find_libraries.h"

#include "compiler/build/driver_arguments.h"

#include <llvm/Object/Archive.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace pbc::build {
namespace {

/// In the order in which they are tried: a library that has everything comes before those with parts.
constexpr const char *kLibraries[] = {"openblas", "cblas",         "blas",   "lapack",         "lapacke",
                                      "fftw3",    "fftw3_threads", "fftw3f", "fftw3f_threads", "gfortran"};

constexpr Provider kProviders[] = {
    {"cblas_", "", "BLAS", "libopenblas-dev", "-lopenblas"},
    {"LAPACKE_", "", "LAPACK's C interface", "liblapacke-dev", "-llapacke"},
    {"fftwf_", "", "FFTW in single precision", "libfftw3-dev", "-lfftw3f"},
    {"fftw_", "", "FFTW", "libfftw3-dev", "-lfftw3"},
    {"_gfortran", "", "the Fortran library", "gfortran", "-lgfortran"},
    {"", "_", "Fortran, as BLAS and LAPACK are", "libopenblas-dev", "-lopenblas"},
};

/// Calls `f` for each symbol, with its flags.
template <class F>
void eachSymbol(const llvm::object::ObjectFile &object, bool dynamic, F f) {
  const auto visit = [&](const llvm::object::SymbolRef &symbol) {
    auto name = symbol.getName();
    auto flags = symbol.getFlags();
    if (name && flags)
      f(name->str(), *flags);
    llvm::consumeError(name.takeError());
    llvm::consumeError(flags.takeError());
  };
  const auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(&object);
  if (dynamic && elf)
    for (const auto &symbol : elf->getDynamicSymbolIterators())
      visit(symbol);
  else
    for (const auto &symbol : object.symbols())
      visit(symbol);
}

/// The names that a library, shared or not, defines.
std::set<std::string> defined(const std::string &path) {
  std::set<std::string> names;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return names;
  auto binary = llvm::object::createBinary((*buffer)->getMemBufferRef());
  if (!binary) {
    llvm::consumeError(binary.takeError());
    return names;
  }
  if (const auto *archive = llvm::dyn_cast<llvm::object::Archive>(binary->get())) {
    for (const auto &symbol : archive->symbols())
      names.insert(symbol.getName().str());
  } else if (const auto *object = llvm::dyn_cast<llvm::object::ObjectFile>(binary->get())) {
    eachSymbol(*object, true, [&](const std::string &name, std::uint32_t flags) {
      if (!(flags & llvm::object::BasicSymbolRef::SF_Undefined))
        names.insert(name);
    });
  }
  return names;
}

/// libNAME.so, libNAME.so.3 (a machine without the package for developers) or libNAME.a.
std::string inFolders(const std::string &name, const std::vector<std::string> &folders,
                      std::vector<std::string> *missing) {
  namespace fs = std::filesystem;
  const std::string stem = "lib" + name;
  std::error_code ignored;
  for (const std::string &folder : folders) {
    if (fs::is_regular_file(fs::path(folder) / (stem + ".so"), ignored))
      return folder + "/" + stem + ".so";
    if (missing)
      missing->push_back(folder + "/" + stem + ".so");
  }
  for (const std::string &folder : folders)
    for (const auto &entry : fs::directory_iterator(folder, ignored))
      if (entry.path().filename().string().starts_with(stem + ".so.") && entry.is_regular_file(ignored))
        return entry.path().string();
  for (const std::string &folder : folders)
    if (fs::is_regular_file(fs::path(folder) / (stem + ".a"), ignored))
      return folder + "/" + stem + ".a";
  return "";
}

void addPath(const char *variable, std::vector<std::string> &folders) {
  const char *value = std::getenv(variable);
  for (std::string rest = value ? value : ""; !rest.empty();) {
    const auto colon = rest.find(':');
    if (colon)
      folders.push_back(rest.substr(0, colon));
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
}

} // namespace

const Provider *provider(const std::string &symbol) {
  const auto *found = std::find_if(std::begin(kProviders), std::end(kProviders), [&](const Provider &p) {
    return symbol.starts_with(p.prefix) && symbol.ends_with(p.suffix);
  });
  // A name that begins with an underscore belongs to the compiler, for example __stack_chk_guard_.
  const bool isCompilers = symbol.starts_with("_") && !symbol.starts_with("_gfortran");
  return found == std::end(kProviders) || isCompilers ? nullptr : found;
}

std::vector<std::string> foreignSymbols(const std::vector<LinkInput> &objects) {
  std::set<std::string> used, own;
  for (const LinkInput &input : objects) {
    auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(input.bytes, input.name));
    if (!object) {
      llvm::consumeError(object.takeError());
      continue;
    }
    eachSymbol(**object, false, [&](const std::string &name, std::uint32_t flags) {
      const bool isUndefined = flags & llvm::object::BasicSymbolRef::SF_Undefined;
      if (!isUndefined || provider(name))
        (isUndefined ? used : own).insert(name);
    });
  }
  std::vector<std::string> foreign;
  std::set_difference(used.begin(), used.end(), own.begin(), own.end(), std::back_inserter(foreign));
  return foreign;
}

std::vector<std::string> findLibraries(std::vector<std::string> symbols,
                                       const std::vector<std::string> &folders,
                                       std::vector<std::string> *missing) {
  std::vector<std::string> found;
  for (const char *name : kLibraries) {
    if (symbols.empty())
      break;
    const std::string path = inFolders(name, folders, missing);
    if (path.empty())
      continue;
    const std::set<std::string> has = defined(path);
    if (std::erase_if(symbols, [&](const std::string &s) { return has.contains(s); }))
      found.push_back(path);
  }
  return found;
}

std::vector<std::string> libraryFolders() {
  std::vector<std::string> folders;
  addPath("LIBRARY_PATH", folders);
  addPath("LD_LIBRARY_PATH", folders);
  std::string ignored;
  for (const std::string &argument : driverLinkArguments(false, ignored))
    if (argument.starts_with("-L"))
      folders.push_back(argument.substr(2));
  folders.emplace_back("/usr/local/lib");
  return folders;
}

} // namespace pbc::build
