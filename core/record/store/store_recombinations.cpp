#include "core/record/format/result_codec.h"
#include "core/record/store/store_impl.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;
using sqlite::Statement;

namespace {

#define NW_RECOMBINATION_COLUMNS                                                                   \
  "id, network, target, config, state, status, created_at, updated_at, wall_seconds, product"

RecombinationRow readRecombination(const Statement& row) {
  RecombinationRow result;
  result.id = row.integer(0);
  result.network = row.integer(1);
  result.target = row.integer(2);
  result.config = row.text(3);
  result.state = row.text(4);
  result.status = storedStatus(row.view(5));
  result.createdAt = row.integer(6);
  result.updatedAt = row.integer(7);
  result.wallSeconds = row.real(8);
  result.product = row.text(9);
  return result;
}

/// A list as it stands in a column; damage there is told with the file's name.
template <class T>
std::vector<T> readList(const Statement& row, int column, const std::string& path) {
  try {
    return json::parse(row.view(column)).get<std::vector<T>>();
  } catch (const json::exception& e) {
    throw InputError(fmt::format("{}: damaged sample: {}", path, e.what()));
  }
}

SampleRow readSample(const Statement& row, const std::string& path) {
  SampleRow sample;
  sample.recombination = row.integer(0);
  sample.sample = static_cast<int>(row.integer(1));
  sample.draw = row.integer(2);
  sample.choice = readList<int>(row, 3, path);
  sample.verdict = verdictOf(row.integer(4));
  sample.error = row.text(5);
  sample.seconds = readList<double>(row, 6, path);
  sample.wallSeconds = row.real(7);
  return sample;
}

} // namespace

RowId RecordStore::addRecombination(const RecombinationRow& row) {
  RowId id = 0;
  transaction([&] {
    auto& db = impl_->db;
    Statement insert =
        db.prepare("INSERT INTO recombination (network, target, config, state, status, created_at, "
                   "updated_at, wall_seconds, product) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(row.network, row.target, row.config, row.state, name(row.status), row.createdAt,
                row.updatedAt, row.wallSeconds, row.product);
    insert.run();
    id = db.lastInsertId();
  });
  return id;
}

void RecordStore::updateRecombination(const RecombinationRow& row) {
  transaction([&] {
    if (!recombination(row.id))
      throw InputError(fmt::format("{}: there is no recombination {} in the file", path(), row.id));
    impl_->db
        .prepare("UPDATE recombination SET config = ?, state = ?, status = ?, updated_at = ?, "
                 "wall_seconds = ? WHERE id = ?")
        .bind(row.config, row.state, name(row.status), row.updatedAt, row.wallSeconds, row.id)
        .run();
  });
}

std::vector<RecombinationRow> RecordStore::recombinations(RowId network) const {
  std::vector<RecombinationRow> result;
  Statement rows =
      impl_->db.prepare("SELECT " NW_RECOMBINATION_COLUMNS
                        " FROM recombination WHERE ?1 = 0 OR network = ?1 ORDER BY id");
  rows.bind(network);
  while (rows.step())
    result.push_back(readRecombination(rows));
  return result;
}

std::optional<RecombinationRow> RecordStore::recombination(RowId id) const {
  Statement row =
      impl_->db.prepare("SELECT " NW_RECOMBINATION_COLUMNS " FROM recombination WHERE id = ?");
  if (!row.bind(id).step()) return std::nullopt;
  return readRecombination(row);
}

void RecordStore::addSample(const SampleRow& sample) {
  transaction([&] {
    impl_->db
        .prepare("INSERT INTO recombination_sample (recombination, sample, draw, choice, verdict, "
                 "error, seconds, wall_seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(sample.recombination, std::int64_t(sample.sample), sample.draw,
              json(sample.choice).dump(), codeOf(sample.verdict), sample.error,
              json(sample.seconds).dump(), sample.wallSeconds)
        .run();
  });
}

std::vector<SampleRow> RecordStore::samples(RowId recombination, int after) const {
  std::vector<SampleRow> result;
  Statement rows = impl_->db.prepare(
      "SELECT recombination, sample, draw, choice, verdict, error, seconds, wall_seconds "
      "FROM recombination_sample WHERE recombination = ? AND sample > ? ORDER BY sample");
  rows.bind(recombination, std::int64_t(after));
  while (rows.step())
    result.push_back(readSample(rows, path()));
  return result;
}

void RecordStore::keepChoice(const NetworkChoice& choice) {
  transaction([&] {
    auto& db = impl_->db;
    dropChoice(choice.network, choice.target);
    db.prepare("INSERT INTO network_choice (network, target, recombination, kept_at, gain) "
               "VALUES (?, ?, ?, ?, ?)")
        .bind(choice.network, choice.target, choice.recombination, choice.keptAt, choice.gain)
        .run();
    Statement insert = db.prepare(
        "INSERT INTO network_choice_task (network, target, task, record) VALUES (?, ?, ?, ?)");
    for (const NetworkChoice::Program& program : choice.programs)
      insert.bind(choice.network, choice.target, program.task, program.record).run();
  });
}

void RecordStore::dropChoice(RowId network, RowId target) {
  transaction([&] {
    auto& db = impl_->db;
    for (const char* sql : {"DELETE FROM network_choice_task WHERE network = ? AND target = ?",
                            "DELETE FROM network_choice WHERE network = ? AND target = ?"})
      db.prepare(sql).bind(network, target).run();
  });
}

std::optional<NetworkChoice> RecordStore::choice(RowId network, RowId target) const {
  Statement row = impl_->db.prepare("SELECT recombination, kept_at, gain FROM network_choice WHERE "
                                    "network = ? AND target = ?");
  if (!row.bind(network, target).step()) return std::nullopt;
  NetworkChoice choice{network, target, row.integer(0), row.integer(1), row.real(2), {}};
  Statement programs = impl_->db.prepare("SELECT task, record FROM network_choice_task WHERE "
                                         "network = ? AND target = ? ORDER BY task");
  programs.bind(network, target);
  while (programs.step())
    choice.programs.push_back({programs.integer(0), programs.integer(1)});
  return choice;
}

} // namespace nestwright
