#include "core/story/advice/measuring_health.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/row_contents.h"
#include "core/support/name_table.h"

#include <algorithm>

namespace nestwright {
namespace {

constexpr int kMeasurements = 64, kEvents = 400;
constexpr NameTable<HealthGrade, 4> kNames = {{"", "quiet", "uneasy", "noisy"}};

double medianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void readMeasurements(const RecordStore& store, RowId session, MeasuringHealth& health) {
  RecordQuery newest;
  newest.session = session;
  newest.verdict = Verdict::Ok;
  newest.limit = kMeasurements;
  std::vector<double> spreads, clocks;
  for (const Record& record : store.records().page(newest)) {
    if (record.result.seconds.size() > 1) spreads.push_back(record.result.spread());
    if (record.result.machine.clockHertz) clocks.push_back(*record.result.machine.clockHertz);
  }
  health.measurements = static_cast<std::int64_t>(spreads.size());
  health.spread = medianOf(std::move(spreads));
  if (clocks.empty()) return;
  const auto [slowest, fastest] = std::ranges::minmax(clocks);
  health.slowestClock = slowest, health.fastestClock = fastest;
}

void readClaims(const RecordStore& store, RowId session, MeasuringHealth& health) {
  for (const EventRow& row : store.events().newest(session, kEvents))
    if (const std::optional<Event> event = eventOf(row))
      if (const auto* claim = std::get_if<ClaimSettled>(&*event)) {
        ++health.settled;
        if (!claim->confirmed) ++health.refuted;
      }
  for (const TaskRow& task : store.sessions().tasks(session)) {
    const TaskSummary summary = store.tasks().summary(task.id);
    if (summary.bestRecord == 0) continue;
    RecordQuery faster;
    faster.session = session, faster.task = task.id;
    faster.filter = parseRecordFilter("is:contested");
    faster.belowSeconds = summary.bestSeconds;
    health.contested += store.records().count(faster);
  }
}

} // namespace

const char* name(HealthGrade grade) {
  return kNames.of(grade);
}

HealthGrade MeasuringHealth::grade() const {
  // Programs a few percent apart are told apart below the first, and hardly any above the second.
  static constexpr double kUneasySpread = 0.08, kNoisySpread = 0.25;
  static constexpr int kManyClaims = 4;
  if (measurements == 0) return HealthGrade::Unknown;
  if (spread > kNoisySpread) return HealthGrade::Noisy;
  const bool busy = std::ranges::any_of(machine, [](const EnvironmentFinding& finding) {
    return finding.what == EnvironmentKind::Load && !finding.advice.empty();
  });
  const bool mostlyNoise = settled >= kManyClaims && 4 * refuted >= 3 * settled;
  const bool clockMoves = slowestClock > 0 && slowestClock < 0.9 * fastestClock;
  if (spread > kUneasySpread || busy || mostlyNoise || clockMoves) return HealthGrade::Uneasy;
  return HealthGrade::Quiet;
}

MeasuringHealth readHealth(const RecordStore& store, RowId session) {
  MeasuringHealth health;
  readMeasurements(store, session, health);
  if (health.measurements > 0) readClaims(store, session, health);
  return health;
}

} // namespace nestwright
