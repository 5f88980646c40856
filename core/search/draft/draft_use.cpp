#include "core/search/draft/draft_use.h"

#include "core/support/name_table.h"

namespace nestwright {

namespace {

constexpr NameTable<DraftUse, 3> kDraftUseNames = {{"off", "first", "all"}};

} // namespace

const char* name(DraftUse use) {
  return kDraftUseNames.of(use);
}

std::optional<DraftUse> draftUseFromName(std::string_view text) {
  return kDraftUseNames.find(text);
}

std::vector<std::string> draftUseNames() {
  return {kDraftUseNames.names.begin(), kDraftUseNames.names.end()};
}

} // namespace nestwright
