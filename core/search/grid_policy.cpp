#include "core/search/grid_policy.h"

#include "core/search/config_search.h"
#include "core/support/error.h"

namespace nestwright {

Proposal GridPolicy::propose(int count, const SearchContext& context) const {
  NW_ASSERT(context.taskTemplate, "a grid is one of a template's configurations");
  ConfigSearch search(count, context);
  search.takeSeeds();
  for (std::int64_t config = 0; search.goesOn(); ++config)
    search.take({config, Origin::Grid, PickReason::None});
  return search.finish();
}

} // namespace nestwright
