#include "core/record/intake/import_report.h"

#include "core/record/file/database_file.h"

namespace nestwright {

using sqlite::Database;
using sqlite::Statement;

std::vector<ImportSource> importSources(const std::string& path, RowId session) {
  Database db = openDatabaseFile(path, OpenMode::ReadOnly);
  std::vector<ImportSource> sources;
  Statement rows = db.prepare(
      "SELECT id, session, path, head_bytes, head_hash, offset, file_bytes, lines, records, "
      "duplicates, comments, broken, finished FROM import_source WHERE ?1 = 0 OR session = ?1 "
      "ORDER BY id");
  rows.bind(session);
  while (rows.step()) {
    ImportSource source;
    source.id = rows.integer(0), source.session = rows.integer(1), source.path = rows.text(2);
    source.headBytes = rows.integer(3), source.headHash = std::uint64_t(rows.integer(4));
    source.offset = rows.integer(5), source.fileBytes = rows.integer(6);
    source.lines = rows.integer(7), source.records = rows.integer(8);
    source.duplicates = rows.integer(9), source.comments = rows.integer(10);
    source.broken = rows.integer(11), source.finished = rows.integer(12) != 0;
    sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<SourceProblem> importProblems(const std::string& path, RowId session,
                                          const SourceProblem& after, int limit) {
  Database db = openDatabaseFile(path, OpenMode::ReadOnly);
  std::vector<SourceProblem> problems;
  Statement rows = db.prepare(
      "SELECT source, line, import_problem.offset, reason FROM import_problem "
      "JOIN import_source ON import_source.id = source WHERE (source, line) > (?, ?) AND "
      "(?3 = 0 OR session = ?3) ORDER BY source, line LIMIT ?");
  rows.bind(after.source, after.problem.line, session, limit);
  while (rows.step())
    problems.push_back({rows.integer(0), {rows.integer(1), rows.integer(2), rows.text(3)}});
  return problems;
}

} // namespace nestwright
