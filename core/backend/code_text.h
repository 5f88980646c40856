#pragma once
/// \file The forms in which a backend shows the code of a program.

#include <cstdint>
#include <string>

namespace nestwright {

enum class CodeForm : std::uint8_t { LlvmIr, Assembly, CudaC, Ptx, Sass };

/// One form, as its backend names it.
struct CodeText {
  CodeForm form = CodeForm::LlvmIr;
  std::string name;    // for people: "LLVM IR"
  std::string missing; // why it cannot be had here, in a sentence; empty when it can
};

} // namespace nestwright
