#pragma once
/// \file Where a search asks the draft score (draft_score.h).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class DraftUse : std::uint8_t {
  Off,   // nowhere
  First, // while there is no cost model: it chooses what is measured among many draws
  All    // also later: it thins every generation before the cost model scores it
};
/// "off", "first", "all".
const char* name(DraftUse use);
/// Nothing for any other text.
std::optional<DraftUse> draftUseFromName(std::string_view text);
std::vector<std::string> draftUseNames();

} // namespace nestwright
