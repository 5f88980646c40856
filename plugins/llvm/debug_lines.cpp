#include "plugins/llvm/debug_lines.h"

#include <llvm/BinaryFormat/Dwarf.h>

namespace nestwright::llvm_backend {

DebugLines::DebugLines(llvm::Module& module, const LoopFunction& function)
    : builder_(module), file_(builder_.createFile("loops", "")) {
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  // Directives in assembly only: no sections that would change what is assembled.
  builder_.createCompileUnit(llvm::dwarf::DW_LANG_C, file_, "nestwright", true, "", 0, "",
                             llvm::DICompileUnit::DebugDirectivesOnly);
  const std::vector<IrLine> lines = irLines(function);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].stmt) lines_[lines[i].stmt.get()] = static_cast<unsigned>(i + 1);
}

llvm::DISubprogram* DebugLines::addScope(llvm::Function& function) {
  auto* type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  auto* scope = builder_.createFunction(
      file_, function.getName(), function.getName(), file_, 0, type, 0, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(scope);
  return scope;
}

llvm::DILocation* DebugLines::location(const StmtNode& s, llvm::DISubprogram* scope) const {
  const auto found = lines_.find(&s);
  return llvm::DILocation::get(scope->getContext(), found == lines_.end() ? 0 : found->second, 0,
                               scope);
}

llvm::DILocation* DebugLines::nowhere(llvm::DISubprogram* scope) {
  return llvm::DILocation::get(scope->getContext(), 0, 0, scope);
}

} // namespace nestwright::llvm_backend
