#pragma once
/// \file What a program is called, and how it came to be in words.

#include "core/search/origin.h"

#include <QString>

#include <string>

namespace nestwright::ui {

/// What a student reads of it: "a tile size was changed".
QString originInWords(Origin origin);
/// The first digits of a program's name: enough to tell it from others by eye.
QString shortName(const std::string& program);

} // namespace nestwright::ui
