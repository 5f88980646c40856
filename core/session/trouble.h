#pragma once
/// \file A session or recombination that its file keeps from going on: it pauses, and start() goes
/// on once that is mended.

#include <string>
#include <string_view>

namespace nestwright {

/// How the reason of such a pause begins; see FileTrouble.
inline constexpr std::string_view kCannotStore = "nothing can be stored now: ";

inline std::string troubleReason(std::string_view what) {
  return std::string(kCannotStore).append(what);
}

/// Whether a pause with this reason is one that the user should be told of.
inline bool isTrouble(std::string_view reason) {
  return reason.starts_with(kCannotStore);
}

} // namespace nestwright
