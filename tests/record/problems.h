#pragma once
/// \file What went wrong, as texts to compare.

#include "core/record/store/store.h"

#include <fmt/ranges.h>

#include <QTest>

#include <functional>
#include <string>

namespace nestwright {

/// What the check of the file finds: "[]" when it is sound.
inline std::string problemsOf(const RecordStore& store) {
  return fmt::format("{}", store.check());
}

/// The text of the error of this kind that the body ends with.
template <class Refusal>
std::string refusalOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "nothing was refused";
}

/// Shows the text where it does not contain the part.
inline bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) qWarning("%s", text.c_str());
  return found;
}

} // namespace nestwright
