#include "core/record/format/bytes.h"
#include "core/record/store/store_impl.h"
#include "core/support/error.h"

namespace nestwright {

using sqlite::Statement;

void RecordStore::saveEvolution(const EvolutionRow& row) {
  transaction([&] {
    impl_->requireSession(row.session);
    // A round that was interrupted is proposed again, with the same outcome.
    Statement insert = impl_->db.prepare("INSERT OR REPLACE INTO evolution (session, round, task, "
                                         "generations) VALUES (?, ?, ?, ?)");
    insert.bind(row.session, row.round, row.task);
    const std::string bytes = encodeEvolution(row);
    const PackedText packed = pack(bytes);
    insert.bindBlob(4, (packed.packed ? '\1' : '\0') + packed.bytes);
    insert.run();
  });
}

std::optional<EvolutionRow> RecordStore::evolution(RowId session, int round) const {
  Statement find =
      impl_->db.prepare("SELECT task, generations FROM evolution WHERE session = ? AND round = ?");
  if (!find.bind(session, round).step()) return std::nullopt;
  const std::string_view stored = find.view(1);
  if (stored.empty())
    throw InputError(fmt::format("{}: the generations of round {} are missing", path(), round));
  const std::string_view bytes = stored.substr(1);
  EvolutionRow row = decodeEvolution(stored[0] == '\1' ? unpack(bytes) : std::string(bytes));
  row.session = session;
  row.round = round;
  row.task = find.integer(0);
  return row;
}

std::vector<EvolvedRound> RecordStore::evolvedRounds(RowId session, RowId task) const {
  std::vector<EvolvedRound> rounds;
  Statement rows = impl_->db.prepare("SELECT round, task FROM evolution WHERE session = ?1 AND "
                                     "(?2 = 0 OR task = ?2) ORDER BY round");
  rows.bind(session, task);
  while (rows.step())
    rounds.push_back({static_cast<int>(rows.integer(0)), rows.integer(1)});
  return rounds;
}

std::vector<MarkRow> RecordStore::marks(RowId session) const {
  std::vector<MarkRow> marks;
  Statement rows = impl_->db.prepare("SELECT id, wall_seconds, trials, sentence FROM mark WHERE "
                                     "session = ? ORDER BY wall_seconds, id");
  rows.bind(session);
  while (rows.step())
    marks.push_back({rows.integer(0), session, rows.real(1), rows.integer(2), rows.text(3)});
  return marks;
}

RowId RecordStore::saveMark(const MarkRow& mark) {
  RowId id = mark.id;
  transaction([&] {
    impl_->requireSession(mark.session);
    if (id != 0) {
      impl_->db.prepare("UPDATE mark SET wall_seconds = ?, trials = ?, sentence = ? WHERE id = ?")
          .bind(mark.wallSeconds, mark.trials, mark.sentence, id)
          .run();
      return;
    }
    impl_->db
        .prepare("INSERT INTO mark (session, wall_seconds, trials, sentence) VALUES (?, ?, ?, ?)")
        .bind(mark.session, mark.wallSeconds, mark.trials, mark.sentence)
        .run();
    id = impl_->db.lastInsertId();
  });
  return id;
}

void RecordStore::removeMark(RowId mark) {
  transaction([&] { impl_->db.prepare("DELETE FROM mark WHERE id = ?").bind(mark).run(); });
}

std::vector<ProgramRecord> RecordStore::programRecords(RowId session, RowId task) const {
  std::vector<ProgramRecord> records;
  Statement rows = impl_->db.prepare("SELECT id, program FROM record INDEXED BY record_by_group "
                                     "WHERE task = ? AND session = ?");
  rows.bind(task, session);
  while (rows.step())
    records.push_back({rows.integer(0), readProgramId(rows, 1)});
  return records;
}

} // namespace nestwright
