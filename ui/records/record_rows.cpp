#include "ui/records/record_rows.h"

#include "core/record/format/record_program.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <utility>

namespace nestwright::ui {

RecordRow rowOf(Record record) {
  RecordRow row;
  row.seconds = record.result.latency();
  row.spread = relativeSpread(record.result.seconds);
  if (record.result.verdict != Verdict::Ok) row.sentence = qs(oneSentence(record.result));
  row.tf32 = isTf32(record);
  row.record = std::move(record);
  row.record.steps = {}, row.record.trace = {}, row.record.result.error = {};
  return row;
}

std::vector<RecordRow> rowsOf(std::vector<Record> records) {
  std::vector<RecordRow> rows;
  rows.reserve(records.size());
  for (Record& record : records)
    rows.push_back(rowOf(std::move(record)));
  return rows;
}

const RecordRow* RecordRowCache::find(RowId record) {
  if (const auto found = young_.find(record); found != young_.end()) return &found->second;
  const auto found = old_.find(record);
  if (found == old_.end()) return nullptr;
  RecordRow row = std::move(found->second);
  old_.erase(found);
  add(std::move(row));
  return &young_.at(record);
}

void RecordRowCache::add(RecordRow row) {
  if (young_.size() >= kMost) old_ = std::exchange(young_, {});
  const RowId record = row.record.id;
  young_.insert_or_assign(record, std::move(row));
}

void RecordRowCache::clear() {
  young_.clear();
  old_.clear();
}

} // namespace nestwright::ui
