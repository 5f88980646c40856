#include "core/record/store/recombination_rows.h"

#include "core/record/format/result_codec.h"
#include "core/record/format/row_layout.h"
#include "core/support/error.h"

#include <nlohmann/json.hpp>

namespace nestwright {

using nlohmann::json;
using sqlite::Statement;

namespace {

constexpr auto kRecombinations = layoutOf<RecombinationRow>(
    "recombination", Column{"id", &RecombinationRow::id},
    Column{"network", &RecombinationRow::network}, Column{"target", &RecombinationRow::target},
    Column{"config", &RecombinationRow::config}, Column{"state", &RecombinationRow::state},
    Column{"status", &RecombinationRow::status}, Column{"created_at", &RecombinationRow::createdAt},
    Column{"updated_at", &RecombinationRow::updatedAt},
    Column{"wall_seconds", &RecombinationRow::wallSeconds},
    Column{"product", &RecombinationRow::product});

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

RowId RecombinationRows::add(const RecombinationRow& row) {
  RowId id = 0;
  db_.transaction([&] { id = kRecombinations.insert(db_, row); });
  return id;
}

void RecombinationRows::update(const RecombinationRow& row) {
  db_.transaction([&] {
    if (!one(row.id))
      throw InputError(
          fmt::format("{}: there is no recombination {} in the file", db_.path(), row.id));
    db_.prepare("UPDATE recombination SET config = ?, state = ?, status = ?, updated_at = ?, "
                "wall_seconds = ? WHERE id = ?")
        .bind(row.config, row.state, name(row.status), row.updatedAt, row.wallSeconds, row.id)
        .run();
  });
}

std::vector<RecombinationRow> RecombinationRows::all(RowId network) const {
  return kRecombinations.all(db_, "WHERE ?1 = 0 OR network = ?1 ORDER BY id", network);
}

std::optional<RecombinationRow> RecombinationRows::one(RowId id) const {
  return kRecombinations.one(db_, "WHERE id = ?", id);
}

void RecombinationRows::addSample(const SampleRow& sample) {
  db_.transaction([&] {
    db_.prepare("INSERT INTO recombination_sample (recombination, sample, draw, choice, verdict, "
                "error, seconds, wall_seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(sample.recombination, std::int64_t(sample.sample), sample.draw,
              json(sample.choice).dump(), codeOf(sample.verdict), sample.error,
              json(sample.seconds).dump(), sample.wallSeconds)
        .run();
  });
}

std::vector<SampleRow> RecombinationRows::samples(RowId recombination, int after) const {
  std::vector<SampleRow> result;
  Statement rows = db_.prepare(
      "SELECT recombination, sample, draw, choice, verdict, error, seconds, wall_seconds "
      "FROM recombination_sample WHERE recombination = ? AND sample > ? ORDER BY sample");
  rows.bind(recombination, std::int64_t(after));
  while (rows.step())
    result.push_back(readSample(rows, db_.path()));
  return result;
}

} // namespace nestwright
