#pragma once
/// \file A session or recombination that its file keeps from going on: it pauses, and start() goes
/// on once that is mended.

#include "core/record/sql/file_trouble.h"
#include "core/record/store/store.h"

#include <exception>
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

/// Calls `turn` until it returns false, and then `close`. When either throws, `end` is called with
/// the status and the reason to end the run with.
template <class Turn, class Close, class End>
void takeTurns(Turn turn, Close close, End end) {
  const auto orEnd = [&](auto work) {
    try {
      work();
    } catch (const FileTrouble& trouble) {
      end(SessionStatus::Paused, troubleReason(trouble.what()));
    } catch (const std::exception& e) {
      end(SessionStatus::Failed, std::string(e.what()));
    }
  };
  for (bool goOn = true; goOn;)
    orEnd([&] { goOn = turn(); });
  orEnd(close);
}

} // namespace nestwright
