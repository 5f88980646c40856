#pragma once
/// \file What the rules of sketches are for, in words.

#include <QString>

#include <string>

namespace nestwright::ui {

/// What a rule of ours or of the paper does and why, by its name; empty for one of a plugin.
QString ruleMeaning(const std::string& rule);

} // namespace nestwright::ui
