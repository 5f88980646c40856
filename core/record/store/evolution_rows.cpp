#include "core/record/store/evolution_rows.h"

#include "core/record/format/bytes.h"
#include "core/record/format/evolution_codec.h"
#include "core/record/sql/sqlite.h"
#include "core/record/store/session_rows.h"
#include "core/support/error.h"

namespace nestwright {

using sqlite::Statement;

void EvolutionRows::save(const EvolutionRow& row) {
  db_.transaction([&] {
    requireSession(db_, row.session);
    // A round that was interrupted is proposed again, with the same outcome.
    Statement insert = db_.prepare("INSERT OR REPLACE INTO evolution (session, round, task, "
                                   "generations) VALUES (?, ?, ?, ?)");
    insert.bind(row.session, row.round, row.task);
    const std::string bytes = encodeEvolution(row);
    const PackedText packed = pack(bytes);
    insert.bindBlob(4, (packed.packed ? '\1' : '\0') + packed.bytes);
    insert.run();
  });
}

void EvolutionRows::drop(RowId session, int round) {
  Statement remove = db_.prepare("DELETE FROM evolution WHERE session = ? AND round = ?");
  remove.bind(session, round).run();
}

std::optional<EvolutionRow> EvolutionRows::of(RowId session, int round) const {
  Statement find =
      db_.prepare("SELECT task, generations FROM evolution WHERE session = ? AND round = ?");
  if (!find.bind(session, round).step()) return std::nullopt;
  const std::string_view stored = find.view(1);
  if (stored.empty())
    throw InputError(fmt::format("{}: the generations of round {} are missing", db_.path(), round));
  const std::string_view bytes = stored.substr(1);
  EvolutionRow row = decodeEvolution(stored[0] == '\1' ? unpack(bytes) : std::string(bytes));
  row.session = session;
  row.round = round;
  row.task = find.integer(0);
  return row;
}

std::vector<EvolvedRound> EvolutionRows::rounds(RowId session, RowId task) const {
  std::vector<EvolvedRound> rounds;
  Statement rows = db_.prepare("SELECT round, task FROM evolution WHERE session = ?1 AND "
                               "(?2 = 0 OR task = ?2) ORDER BY round");
  rows.bind(session, task);
  while (rows.step())
    rounds.push_back({static_cast<int>(rows.integer(0)), rows.integer(1)});
  return rounds;
}

} // namespace nestwright
