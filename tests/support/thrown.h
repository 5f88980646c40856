#pragma once
/// \file What a piece of work throws, as a text to compare.

#include "core/support/error.h"

#include <QtGlobal>

#include <functional>
#include <string>

namespace nestwright::test {

/// The message of the error that the work ends with; empty when it ends well.
inline std::string messageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Whether the text has the part; where it has not, both are told.
inline bool says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  qWarning("\"%s\" does not say \"%s\"", text.c_str(), part.c_str());
  return false;
}

} // namespace nestwright::test
