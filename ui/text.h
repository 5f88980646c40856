#pragma once
/// \file Between core's strings (UTF-8) and Qt's.

#include <QString>

#include <string>
#include <string_view>

namespace nestwright::ui {

inline QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline QString qs(const char* text) {
  return QString::fromUtf8(text);
}

} // namespace nestwright::ui
