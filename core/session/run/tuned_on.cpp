#include "core/session/run/tuned_on.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

TunedOn lastTunedOn(const RecordStore& store, const std::string& network) {
  TunedOn on;
  RowId newest = 0;
  for (const SessionRow& row : store.sessions().all()) {
    if (row.id < newest || !configJson(row).contains("subjects")) continue; // only collects records
    const SessionConfig config = configOf(row);
    if (std::ranges::find(config.subjects, network) == config.subjects.end()) continue;
    newest = row.id;
    on = {config.target, config.measure.device};
  }
  return on;
}

} // namespace nestwright
