#pragma once
/// \file Options whose value is one of an enumeration, by its name.

#include "app/cli/checks.h"
#include "core/support/name_table.h"

namespace nestwright::cli {

/// Sets the value, which is to outlive the parsing; any other word is refused with those there are.
template <class Enum, std::size_t count>
CLI::Option* addChoice(CLI::App& verb, const char* option, Enum& value,
                       const NameTable<Enum, count>& names, const char* help) {
  return verb
      .add_option_function<std::string>(
          option, [&value, names](const std::string& text) { value = *names.find(text); }, help)
      ->check(oneOf({names.names.begin(), names.names.end()}))
      ->default_str(names.of(value));
}

} // namespace nestwright::cli
