#include "core/session/run/tuned_on.h"

#include "core/plugin/target_named.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "core/session/run/session.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

TunedOn lastTunedOn(const RecordStore& store, const std::string& network) {
  TunedOn on;
  RowId newest = 0;
  for (const SessionRow& row : store.sessions().all())
    try {
      if (row.id < newest || !configJson(row).contains("subjects")) continue; // collects records
      const SessionConfig config = configOf(row);
      if (std::ranges::find(config.subjects, network) == config.subjects.end()) continue;
      if (loweringOf(config.target) != Lowering::Full) continue; // no network runs so
      if (!config.machine.empty()) continue;                     // nor where nothing is measured
      newest = row.id;
      on.target = config.target, on.device = config.measure.device;
    } catch (const InputError& unreadable) { // costs that session (C45)
      on.notes.push_back(fmt::format("session {} of {} is left aside: {}", row.id, store.path(),
                                     unreadable.what()));
    }
  return on;
}

} // namespace nestwright
