#pragma once
/// \file Damaging bytes, texts and JSON as accidents and ill will do.

#include "core/support/random.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright::fuzz {

/// A number at the border of what a type holds, or one that little code expects.
std::int64_t extremeInteger(Random& random);
double extremeReal(Random& random);

/// A text that breaks what takes texts at their word: long, with control characters, no UTF-8,
/// like a format or a path, or like a command that would make a file in the folder `marker`.
std::string nastyText(const std::string& marker, Random& random);

/// One to four changes of bytes: flipped, lost, doubled, moved, cut off, or taken from `other`.
std::string mutatedBytes(std::string bytes, const std::string& other, Random& random);

/// As mutatedBytes(), but mostly of what a reader of texts sees: numbers become extreme ones, names
/// others of the text, quoted texts nasty ones; lines and bracketed parts are lost, doubled or
/// nested deeply.
std::string mutatedText(std::string text, const std::string& marker, Random& random);

/// The document with one to three of its values, somewhere in it, replaced, lost or doubled.
nlohmann::json mutatedJson(nlohmann::json document, const std::string& marker, Random& random);

} // namespace nestwright::fuzz
