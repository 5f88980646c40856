#pragma once
/// \file The forms in which a backend shows the code of a program.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class CodeForm : std::uint8_t { LlvmIr, Assembly, CudaC, Ptx, Sass };

/// "llvm", "asm", "cuda", "ptx", "sass".
const char* name(CodeForm form);
std::vector<std::string> codeFormNames();
/// Throws UsageError for a text that names none.
CodeForm codeFormFromName(std::string_view text);

/// One form, as its backend names it.
struct CodeText {
  CodeForm form = CodeForm::LlvmIr;
  std::string name;    // for people: "LLVM IR"
  std::string missing; // why it cannot be had here, in a sentence; empty when it can
};

} // namespace nestwright
