#pragma once
/// \file Which Nestwright this is; written into every file that it makes.

#include <string>

namespace nestwright {

/// "0.1.0".
const char* version();
/// "Nestwright 0.1.0".
std::string versionText();

} // namespace nestwright
