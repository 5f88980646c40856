#pragma once
/// \file Which Nestwright this is; written into every file that it makes.

#include <string>

namespace nestwright {

/// "0.1.0".
const char* version();
/// "Nestwright 0.1.0 (4f294782c)": with the commit that it was built from, where that is known.
std::string versionText();

} // namespace nestwright
