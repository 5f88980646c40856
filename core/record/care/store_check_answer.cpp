#include "core/record/format/result_codec.h"
#include "core/record/query/record_cells.h"
#include "core/record/store/store_impl.h"
#include "core/support/error.h"

namespace nestwright {

void RecordStore::setAnswer(RowId id, const MeasureResult& check) {
  const bool right = check.verdict == Verdict::Ok;
  NW_ASSERT(right ? check.checked : check.verdict == Verdict::WrongAnswer,
            "a check that says nothing of the answer");
  transaction([&] {
    std::optional<Record> record = impl_->record(id);
    if (!record || record->forgotten || record->result.verdict != Verdict::Ok)
      throw InputError(
          fmt::format("{}: record {} is not one whose answer could be right", path(), id));
    auto& db = impl_->db;
    const bool wasBest = record->best;
    const auto count = [&](int records) {
      addToTally(db,
                 {record->task, record->session, codeOf(record->result.verdict), records, id, id},
                 records * record->result.runSeconds);
    };
    count(-1);
    record->result.verdict = check.verdict;
    record->result.error = check.error;
    record->result.checked = right;
    record->result.maxRelativeError = check.maxRelativeError;
    record->verified = right;
    record->trace.clear(); // it is there already
    count(1);
    auto update =
        db.prepare("UPDATE record SET verdict = ?, flags = (flags & ~?) | ?, seconds = ?, "
                   "details = ? WHERE id = ?");
    update.bindAt(1, codeOf(record->result.verdict))
        .bindAt(2, recordflag::kVerified | (right ? 0 : recordflag::kBest | recordflag::kContested))
        .bindAt(3, right ? recordflag::kVerified : 0);
    if (right)
      update.bindAt(4, record->result.median());
    else
      update.bindAt(4, nullptr);
    update.bindBlob(5, encodeDetails(record->result)).bindAt(6, id).run();
    impl_->insertTexts(id, *record);
    if (!right)
      db.prepare("UPDATE task_summary SET errors = errors + 1 WHERE task = ?")
          .bind(record->task)
          .run();
    if (wasBest || (right && impl_->becomesBest(*record))) chooseBests(db, record->task);
  });
}

} // namespace nestwright
