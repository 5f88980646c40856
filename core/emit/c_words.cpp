#include "core/emit/c_words.h"

#include <algorithm>

namespace nestwright {

bool isCWord(std::string_view text) {
  static constexpr std::string_view kWords[] = {"alignas",     "alignof",
                                                "and",         "and_eq",
                                                "asm",         "auto",
                                                "bitand",      "bitor",
                                                "bool",        "break",
                                                "case",        "catch",
                                                "char",        "char16_t",
                                                "char32_t",    "char8_t",
                                                "class",       "co_await",
                                                "co_return",   "co_yield",
                                                "compl",       "concept",
                                                "const",       "const_cast",
                                                "consteval",   "constexpr",
                                                "constinit",   "continue",
                                                "decltype",    "default",
                                                "delete",      "do",
                                                "double",      "dynamic_cast",
                                                "else",        "enum",
                                                "errno",       "explicit",
                                                "export",      "extern",
                                                "false",       "float",
                                                "for",         "friend",
                                                "goto",        "if",
                                                "inline",      "int",
                                                "linux",       "long",
                                                "main",        "mutable",
                                                "namespace",   "new",
                                                "noexcept",    "not",
                                                "not_eq",      "nullptr",
                                                "operator",    "or",
                                                "or_eq",       "private",
                                                "protected",   "public",
                                                "register",    "reinterpret_cast",
                                                "requires",    "restrict",
                                                "return",      "short",
                                                "signed",      "sizeof",
                                                "static",      "static_assert",
                                                "static_cast", "struct",
                                                "switch",      "template",
                                                "this",        "thread_local",
                                                "throw",       "true",
                                                "try",         "typedef",
                                                "typeid",      "typename",
                                                "typeof",      "union",
                                                "unix",        "unsigned",
                                                "using",       "virtual",
                                                "void",        "volatile",
                                                "wchar_t",     "while",
                                                "xor",         "xor_eq"};
  static_assert(std::ranges::is_sorted(kWords));
  return std::ranges::binary_search(kWords, text);
}

} // namespace nestwright
