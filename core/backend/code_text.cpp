#include "core/backend/code_text.h"

#include "core/support/error.h"
#include "core/support/name_table.h"

#include <fmt/ranges.h>

namespace nestwright {

namespace {

constexpr NameTable<CodeForm, 5> kForms{{"llvm", "asm", "cuda", "ptx", "sass"}};

} // namespace

const char* name(CodeForm form) {
  return kForms.of(form);
}

std::vector<std::string> codeFormNames() {
  return {kForms.names.begin(), kForms.names.end()};
}

CodeForm codeFormFromName(std::string_view text) {
  if (const std::optional<CodeForm> form = kForms.find(text)) return *form;
  throw UsageError(fmt::format("there is no form of code \"{}\"; known are: {}", text,
                               fmt::join(kForms.names, ", ")));
}

} // namespace nestwright
