#include "core/session/run/tuning/policy_memory.h"

#include "core/record/store/event_rows.h"
#include "core/record/store/record_rows.h"
#include "core/session/run/events.h"
#include "core/session/run/row_contents.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace nestwright {

namespace {

ToldProgram told(const Record& record) {
  ToldProgram program;
  const Trace trace = traceOf(record).value_or(Trace());
  program.trial = record.trial;
  program.round = trace.round;
  program.programId = record.program;
  program.steps = record.steps;
  program.sketch = trace.sketch;
  program.origin = trace.origin;
  if (trace.origin == Origin::Proposed) program.label = trace.reason;
  program.verdict = name(record.result.verdict);
  program.seconds = record.result.latency();
  program.repeats = record.result.seconds;
  if (record.result.verdict != Verdict::Ok) program.error = oneSentence(record.result);
  return program;
}

} // namespace

std::vector<ToldProgram> measuredPrograms(const RecordStore& store, RowId session, RowId task,
                                          std::int64_t after) {
  constexpr int kPage = 512;
  RecordQuery query;
  query.task = task;
  query.session = session;
  query.order = RecordQuery::Order::LastTrial;
  query.limit = kPage;
  std::vector<ToldProgram> programs;
  while (true) {
    const std::vector<Record> page = store.records().page(query);
    for (const Record& record : page) {
      if (record.trial <= after) {
        std::ranges::reverse(programs);
        return programs;
      }
      programs.push_back(told(record));
    }
    if (std::cmp_less(page.size(), kPage)) break;
    query.after = page.back().id;
  }
  std::ranges::reverse(programs);
  return programs;
}

std::vector<PolicyTalk> earlierTalks(const RecordStore& store, RowId session, RowId task) {
  std::vector<PolicyTalk> talks;
  const char* kindOfTalks = kind(Event(PolicyTalked()));
  for (const RowId id : store.events().ids(session, kindOfTalks)) {
    const std::optional<EventRow> row = store.events().one(id);
    if (!row) continue;
    const nlohmann::json json = nlohmann::json::parse(row->json, nullptr, false);
    Event event = eventFromJson(row->kind, json);
    if (auto& talked = std::get<PolicyTalked>(event); talked.task == task)
      talks.push_back(std::move(talked.talk));
  }
  return talks;
}

} // namespace nestwright
