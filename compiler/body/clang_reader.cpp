// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_reader.h"
#include "compiler/body/abi_headers.h"
#include "compiler/body/clang_data.h"
#include "compiler/body/clang_device.h"
#include "compiler/body/clang_tree.h"
#include "compiler/preamble/assembly_files.h"
#include "compiler/preamble/preamble_use.h"
#include "compiler/preamble/regular_files.h"
#include <algorithm>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/Lexer.h>
#include <cstring>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

namespace pbc::body {
namespace {

constexpr const char *kUnitPath = "/pbc/bodies.cpp";
constexpr unsigned kStackBytes = 256u << 20; // reserved: pages are only used for absurd nesting
constexpr std::size_t kMostComplaints = 100;

Complaint::Kind classify(unsigned id) {
  using namespace clang;
  switch (id) {
  case diag::err_ovl_no_viable_function_in_call:
    return Complaint::Kind::NoMatchingCall;
  case diag::ext_return_has_expr:
    return Complaint::Kind::ReturnHasValue;
  case diag::ext_return_missing_expr:
  case diag::warn_return_missing_expr:
    return Complaint::Kind::ReturnLacksValue;
  case diag::warn_falloff_nonvoid_function:
    return Complaint::Kind::NeverReturns;
  case diag::warn_maybe_falloff_nonvoid_function:
    return Complaint::Kind::FallsOffEnd;
  case diag::err_typecheck_assign_const:
    return Complaint::Kind::AssignsConstant;
  case diag::err_undeclared_var_use:
  case diag::err_undeclared_var_use_suggest:
  case diag::err_undeclared_use:
  case diag::err_undeclared_use_suggest:
  case diag::err_unknown_typename:
  case diag::err_unknown_typename_suggest:
  case diag::err_no_template:
  case diag::err_no_template_suggest:
  case diag::err_typecheck_decl_incomplete_type:
  case diag::err_implied_std_initializer_list_not_found:
    return Complaint::Kind::UnknownName;
  case diag::err_pp_file_not_found:
    return Complaint::Kind::MissingHeader;
  default:
    return Complaint::Kind::Other;
  }
}

/// Whether the warning is about a likely mistake rather than about style.
bool isUseful(unsigned id) {
  const llvm::StringRef option = clang::DiagnosticIDs::getWarningOptionForDiag(id);
  for (const char *useful :
       {"uninitialized", "sometimes-uninitialized", "division-by-zero", "return-stack-address",
        "shift-count-overflow", "shift-count-negative", "infinite-recursion"})
    if (option == useful)
      return true;
  return false;
}

class Collector : public clang::DiagnosticConsumer {
public:
  explicit Collector(std::vector<Complaint> &out) : out_(out) {}

  void BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *) override {
    options_ = &options;
  }

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &d) override {
    DiagnosticConsumer::HandleDiagnostic(level, d);
    Complaint c;
    if (level == clang::DiagnosticsEngine::Note) {
      if (skipping_)
        return;
      c.level = Complaint::Level::Note;
    } else {
      skipping_ = level < clang::DiagnosticsEngine::Error && !isUseful(d.getID());
      if (skipping_)
        return;
      if (level == clang::DiagnosticsEngine::Warning)
        c.level = Complaint::Level::Warning;
    }
    c.kind = classify(d.getID());
    llvm::SmallString<256> text;
    d.FormatDiagnostic(text);
    c.text = text.str().str();
    if (c.text.find("in namespace 'std'") != std::string::npos)
      c.kind = Complaint::Kind::UnknownName;
    if (d.hasSourceManager() && d.getLocation().isValid())
      place(c, d);
    if (c.level == Complaint::Level::Note) {
      if (!out_.empty() && out_.back().notes.size() < kMostComplaints)
        out_.back().notes.push_back(std::move(c));
    } else if (out_.size() < kMostComplaints)
      out_.push_back(std::move(c));
  }

private:
  void place(Complaint &c, const clang::Diagnostic &d) const {
    clang::SourceManager &sm = d.getSourceManager();
    const clang::SourceLocation at = sm.getFileLoc(d.getLocation());
    c.inUnit = sm.getFileID(at) == sm.getMainFileID();
    c.file = sm.getFilename(at).str();
    c.line = sm.getSpellingLineNumber(at);
    clang::SourceLocation inUnit = at;
    while (inUnit.isValid() && sm.getFileID(inUnit) != sm.getMainFileID())
      inUnit = sm.getFileLoc(sm.getIncludeLoc(sm.getFileID(inUnit)));
    if (inUnit.isInvalid())
      return;
    c.begin = c.end = sm.getFileOffset(inUnit);
    if (options_)
      c.end += clang::Lexer::MeasureTokenLength(inUnit, sm, *options_);
  }

  std::vector<Complaint> &out_;
  const clang::LangOptions *options_ = nullptr;
  bool skipping_ = false; // the notes of a warning that is suppressed
};

class Consumer : public clang::ASTConsumer {
public:
  Consumer(const Unit &unit, Reading &reading, std::vector<std::string> assemblyFolders)
      : unit_(unit), reading_(reading), assemblyFolders_(std::move(assemblyFolders)) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    // These functions visit only the unit's own declarations, not those of a preamble.
    findDynamicVariables(*context.getTranslationUnitDecl(), context);
    refuseReserved(*context.getTranslationUnitDecl(), context);
    reading_.takesPointers = takesPointers(context);
    if (!context.getDiagnostics().hasErrorOccurred())
      refuseEndlessData(context, assemblyFolders_);
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < unit_.rules.size(); ++i)
      numbers[unit_.rules[i].function] = i;
    for (const clang::Decl *d : context.getTranslationUnitDecl()->noload_decls())
      if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(d);
          space && space->getName() == "pb_program")
        for (const clang::Decl *inner : space->noload_decls())
          if (const auto *f = llvm::dyn_cast<clang::FunctionDecl>(inner);
              f && f->hasBody() && f->getIdentifier())
            if (auto found = numbers.find(f->getNameAsString()); found != numbers.end())
              read(*f, context, found->second);
  }

private:
  /// Whether code calls base() or storage(). Each instance of the class template declares them, and Clang marks those
  /// that are used. The names are looked up: a walk through all declarations would load the whole preamble.
  static bool takesPointers(const clang::ASTContext &context) {
    for (const clang::Decl *space : context.getTranslationUnitDecl()->lookup(&context.Idents.get("pb")))
      if (const auto *pb = llvm::dyn_cast<clang::NamespaceDecl>(space))
        for (const clang::Decl *found : pb->lookup(&context.Idents.get("Region")))
          if (const auto *region = llvm::dyn_cast<clang::ClassTemplateDecl>(found))
            for (const clang::ClassTemplateSpecializationDecl *made : region->specializations())
              for (const char *method : {"base", "storage"})
                for (const clang::Decl *m : made->lookup(&context.Idents.get(method)))
                  if (m->isReferenced())
                    return true;
    return false;
  }

  void read(const clang::FunctionDecl &f, clang::ASTContext &context, std::size_t rule) {
    Function &function = reading_.functions[rule];
    function = readFunction(f, context, unit_);
    if (!context.getDiagnostics().hasErrorOccurred())
      function.onDevice =
          std::make_shared<const DeviceBody>(readDeviceBody(f, context, unit_, unit_.rules[rule]));
  }

  /// The offset in the unit, if the place is in the text of a raw block.
  std::optional<std::uint32_t> inRawBlock(clang::SourceLocation at, const clang::ASTContext &context) const {
    const auto [file, offset] = context.getSourceManager().getDecomposedLoc(at);
    if (file != context.getSourceManager().getMainFileID() ||
        unit_.segment(offset).kind != Unit::Segment::Kind::Raw)
      return std::nullopt;
    return offset;
  }

  /// Reports declarations in raw blocks that use names of the generated code or of the runtime.
  void refuseReserved(const clang::DeclContext &where, const clang::ASTContext &context) {
    for (const clang::Decl *d : where.noload_decls()) {
      if (const auto *linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(d))
        refuseReserved(*linkage, context);
      const auto *named = llvm::dyn_cast<clang::NamedDecl>(d);
      if (!named || !named->getIdentifier() || d->isImplicit())
        continue;
      const auto offset = inRawBlock(context.getSourceManager().getFileLoc(named->getLocation()), context);
      if (!offset)
        continue;
      const std::string name = named->getNameAsString();
      std::string why;
      if (name.starts_with("pb_"))
        why = "names that begin with `pb_` belong to the generated code";
      else if (llvm::isa<clang::NamespaceDecl>(d) && name == "pb")
        why = "the namespace belongs to the runtime";
      else if (const auto *f = llvm::dyn_cast<clang::FunctionDecl>(d); f && f->isMain())
        why = "the generated program has one";
      else
        continue;
      Complaint c;
      c.kind = Complaint::Kind::Reserved;
      c.inUnit = true;
      c.begin = *offset;
      c.end = *offset + static_cast<std::uint32_t>(name.size());
      c.text = why;
      reading_.complaints.push_back(std::move(c));
    }
  }

  void findDynamicVariables(const clang::DeclContext &where, const clang::ASTContext &context) {
    for (const clang::Decl *d : where.noload_decls()) {
      if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(d))
        findDynamicVariables(*llvm::cast<clang::DeclContext>(d), context);
      const auto *v = llvm::dyn_cast<clang::VarDecl>(d);
      if (!v || v->isInvalidDecl() || v->isThisDeclarationADefinition() != clang::VarDecl::Definition ||
          v->isInline() || v->isStaticDataMember() || !v->isExternallyVisible() ||
          v->getStorageClass() == clang::SC_Extern || v->getType()->isDependentType() ||
          v->getBeginLoc().isMacroID())
        continue;
      const auto place = inRawBlock(v->getBeginLoc(), context);
      if (!place)
        continue;
      const std::uint32_t offset = *place;
      const bool isDynamic = v->hasInit() && !v->hasConstantInitialization();
      if (isDynamic || v->needsDestruction(context) != clang::QualType::DK_none)
        reading_.dynamicVariables.push_back(offset);
    }
  }

  const Unit &unit_;
  Reading &reading_;
  std::vector<std::string> assemblyFolders_;
};

class Action : public clang::ASTFrontendAction {
public:
  Action(const Unit &unit, Reading &reading) : unit_(unit), reading_(reading) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance,
                                                        llvm::StringRef) override {
    return std::make_unique<Consumer>(unit_, reading_,
                                      preamble::assemblyFolders(instance.getHeaderSearchOpts()));
  }

private:
  const Unit &unit_;
  Reading &reading_;
};

/// The warnings and limits that readings of bodies ask for, as options of Clang's front end.
std::vector<std::string> ownArguments(const std::vector<std::string> &headerPath) {
  std::vector<std::string> arguments = {"-Wno-register",
                                        "-Wuninitialized",
                                        "-Wsometimes-uninitialized",
                                        "-Werror=return-type",
                                        "-fno-elide-type",
                                        "-ferror-limit",
                                        "100",
                                        "-fbracket-depth",
                                        "256",
                                        "-ftemplate-depth=256",
                                        "-fconstexpr-steps=1000000",
                                        "-fspell-checking-limit=50",
                                        "-fmacro-backtrace-limit=1"};
  for (const std::string &option : headerPath) // "-iquotefolder" or "-DNAME=value", as clang++ takes it
    for (const char *name : {"-iquote", "-I", "-D"})
      if (option.starts_with(name)) {
        arguments.insert(arguments.end(), {name, option.substr(std::strlen(name))});
        break;
      }
  arguments.emplace_back(kUnitPath);
  return arguments;
}

/// For a unit without a preamble, Clang's driver adds the other arguments for this machine.
std::shared_ptr<clang::CompilerInvocation>
invocationOfDriver(const std::vector<std::string> &headerPath,
                   const llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> &fileSystem) {
  std::vector<std::string> arguments = {PBC_LLVM_ROOT "/bin/clang++", "-fsyntax-only", "-std=c++20",
                                        std::string("-I") + preamble::kVirtualIncludes};
  for (const std::string &argument : ownArguments(headerPath)) {
    const bool isValue = !argument.empty() && argument[0] != '-' && argument != kUnitPath;
    if (isValue && arguments.back().starts_with("-f"))
      arguments.back() += "=" + argument;
    else
      arguments.push_back(argument);
  }
  std::vector<const char *> pointers;
  for (const std::string &a : arguments)
    pointers.push_back(a.c_str());
  clang::CreateInvocationOptions options;
  options.VFS = fileSystem;
  options.Diags = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions,
                                                             new clang::IgnoringDiagConsumer, true);
  return clang::createInvocation(pointers, options);
}

/// The given arguments, so that the preamble fits; but not the one that takes all warnings away, which units need and
/// bodies do not.
std::shared_ptr<clang::CompilerInvocation> invocationOf(const ParsedHeaders &headers,
                                                        const std::vector<std::string> &headerPath) {
  std::vector<std::string> arguments = headers.arguments;
  std::erase(arguments, "-w");
  for (std::string &argument : ownArguments(headerPath))
    arguments.push_back(std::move(argument));
  std::vector<const char *> pointers;
  for (const std::string &a : arguments)
    pointers.push_back(a.c_str());
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  auto engine = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions,
                                                           new clang::IgnoringDiagConsumer, true);
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, *engine))
    return nullptr;
  invocation->getFrontendOpts().ProgramAction = clang::frontend::ParseSyntaxOnly;
  return invocation;
}

/// The unit's text, in which blanks replace the parts that the preamble has, so that all offsets stay the same.
std::string textFor(const Unit &unit, const ParsedHeaders *headers) {
  std::string text = unit.text;
  if (headers)
    for (const auto &[begin, end] : headers->standsFor)
      std::replace_if(text.begin() + begin, text.begin() + end, [](char c) { return c != '\n'; }, ' ');
  return text;
}

void run(const Unit &unit, const std::vector<std::string> &headerPath, const ParsedHeaders *headers,
         Reading &reading) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile(kUnitPath, 0, llvm::MemoryBuffer::getMemBufferCopy(textFor(unit, headers), kUnitPath));
  for (const auto &[name, text] : headers ? headers->files : abiHeaders())
    memory->addFile(std::string(preamble::kVirtualIncludes) + "/" + name, 0,
                    llvm::MemoryBuffer::getMemBuffer(text, name));
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(preamble::regularFiles());
  all->pushOverlay(memory);

  const auto invocation = headers ? invocationOf(*headers, headerPath) : invocationOfDriver(headerPath, all);
  if (!invocation)
    return;
  if (headers)
    preamble::use(headers->preamble, *invocation, *memory);
  clang::CompilerInstance instance;
  instance.setInvocation(invocation);
  instance.getDiagnosticOpts().ShowCarets = false; // otherwise Clang prints the number of errors on stderr
  instance.getFrontendOpts().DisableFree = false;
  Collector collector(reading.complaints);
  instance.createDiagnostics(&collector, false);
  instance.createFileManager(all);
  Action action(unit, reading);
  instance.ExecuteAction(action);
  reading.finished = true;
}

Reading read(const Unit &unit, const std::vector<std::string> &headerPath, const ParsedHeaders *headers) {
  Reading reading;
  reading.functions.resize(unit.rules.size());
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  if (!recovery.RunSafelyOnThread([&] { run(unit, headerPath, headers, reading); }, kStackBytes))
    reading.finished = false;
  llvm::CrashRecoveryContext::Disable();
  return reading;
}

} // namespace

Reading readUnit(const Unit &unit, const std::vector<std::string> &headerPath) {
  return read(unit, headerPath, nullptr);
}

Reading readUnit(const Unit &unit, const std::vector<std::string> &headerPath, const ParsedHeaders &headers) {
  return read(unit, headerPath, &headers);
}

} // namespace pbc::body
