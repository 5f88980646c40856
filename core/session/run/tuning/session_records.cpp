#include "core/session/run/tuning/session_records.h"

#include "core/record/format/record_program.h"
#include "core/record/store/record_rows.h"
#include "core/tensor/text.h"

#include <algorithm>
#include <utility>

namespace nestwright {

std::vector<Record> recordsOfRound(const RecordStore& store, RowId session, const OpenRound& round,
                                   std::int64_t trials) {
  RecordQuery newest;
  newest.task = round.task;
  newest.session = session;
  newest.limit = static_cast<int>(trials - round.firstTrial + 1);
  std::vector<Record> records = store.records().page(newest);
  std::erase_if(records, [&](const Record& record) {
    return record.trial < round.firstTrial || record.onDemand;
  });
  std::reverse(records.begin(), records.end());
  return records;
}

ProgramText programText(const TaskRow& task, const ComputeDag& dag, const Record& record) {
  if (!isOfTemplate(record)) return {task.dag, record.steps};
  RecordProgram program = recordProgram(dag, record);
  return {print(program.dag), std::move(program.steps)};
}

ProgramText programText(const TaskRow& task, const Candidate& candidate) {
  if (!candidate.variant) return {task.dag, candidate.steps};
  return {print(*candidate.variant), candidate.steps};
}

std::vector<Steps> searchParents(const RecordStore& store, RowId session, RowId task,
                                 const std::unordered_set<std::string>& without) {
  constexpr int kParents = 409; // a fifth of the population, as the reference takes
  RecordQuery fastest;
  fastest.task = task;
  fastest.session = session;
  fastest.verdict = Verdict::Ok;
  fastest.order = RecordQuery::Order::Fastest;
  fastest.limit = kParents + static_cast<int>(without.size());
  std::vector<Steps> programs;
  std::unordered_set<std::string> taken = without; // a program may have been measured again
  for (Record& record : store.records().page(fastest))
    if (taken.insert(record.program).second) programs.push_back(std::move(record.steps));
  return programs;
}

} // namespace nestwright
