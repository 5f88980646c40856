#include "core/record/store/imported_programs.h"

#include "core/record/format/step_codec.h"
#include "core/record/select/filter_sql.h"
#include "core/schedule/step_text.h"
#include "core/support/error.h"
#include "core/support/hash.h"

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <algorithm>

namespace nestwright {

namespace {

using sqlite::Statement;
using Json = nlohmann::ordered_json;

/// As many as a page in the order of speed may jump between; some megabytes.
constexpr std::size_t kCachedBlocks = 64;
constexpr std::size_t kCachedTasks = 4096;

/// How the program came to be, in the form of a search's own traces.
std::string traceOf(const std::string& file, const std::string& origin, const ImportedItem& item) {
  Json log = Json::parse(origin, nullptr, false);
  if (!log.is_object()) log = Json::object();
  log["file"] = file;
  if (item.isConfig) log["config"] = Json::parse(item.values, nullptr, false);
  if (item.spelling.startUlps != 0) log["started_at"] = exactStart(item.startedAt, item.spelling);
  if (item.spelling.wholeSeconds) log["whole_seconds"] = true;
  return Json{{"operation", "imported"},
              {"parents", Json::array()},
              {"draw", 0},
              {"sketch", -1},
              {"log", std::move(log)}}
      .dump();
}

/// As programId(), which of a known DAG it is.
std::string programOf(const ImportedItem& item, const Steps& steps, const std::string& taskText) {
  return hashHex(taskText + '\n' + (item.isConfig ? item.values : compactText(steps)));
}

} // namespace

void ImportedPrograms::addFunction() {
  const auto imported = [](sqlite3_context* context, int, sqlite3_value** values) noexcept {
    try {
      const std::string program =
          static_cast<ImportedPrograms*>(sqlite3_user_data(context))
              ->program(sqlite3_value_int64(values[0]), sqlite3_value_int64(values[1]),
                        sqlite3_value_int64(values[2]));
      sqlite3_result_text(context, program.data(), int(program.size()), SQLITE_TRANSIENT);
    } catch (const std::exception& error) {
      sqlite3_result_error(context, error.what(), -1);
    }
  };
  sqlite3_create_function_v2(db_.handle(), kImportedProgram, 3,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, this, imported,
                             nullptr, nullptr, nullptr);
}

std::string ImportedPrograms::program(RowId record, RowId task, RowId shapeOfSteps) {
  const ImportedItem& item = block(record).stored.item(record);
  const Steps steps = item.isConfig ? Steps{} : decodeSteps(shapes_.of(shapeOfSteps), item.values);
  return programOf(item, steps, taskText(task));
}

ImportedPrograms::Block& ImportedPrograms::block(RowId record) {
  for (auto known = blocks_.begin(); known != blocks_.end(); ++known)
    if (known->stored.holds(record)) {
      blocks_.splice(blocks_.begin(), blocks_, known);
      return blocks_.front();
    }
  Block read{blockOf(db_, record), {}, {}};
  read.stored.bytes = {}; // nobody asks for them here, and many blocks are remembered
  Statement source = db_.prepare("SELECT path FROM import_source WHERE id = ?");
  if (source.bind(read.stored.source).step()) read.file = source.text(0);
  blocks_.push_front(std::move(read));
  if (blocks_.size() > kCachedBlocks) blocks_.pop_back();
  return blocks_.front();
}

const std::string& ImportedPrograms::taskText(RowId task) {
  if (const auto known = taskTexts_.find(task); known != taskTexts_.end()) return known->second;
  Statement find =
      db_.prepare("SELECT CASE dag WHEN '' THEN key ELSE dag END FROM task WHERE id = ?");
  if (!find.bind(task).step())
    throw InputError(fmt::format("the file is damaged: task {} is missing", task));
  if (taskTexts_.size() >= kCachedTasks) taskTexts_.clear();
  return taskTexts_[task] = find.text(0);
}

void ImportedPrograms::read(Record& record, RowId shapeOfSteps) {
  Block& block = this->block(record.id);
  const ImportedItem& item = block.stored.item(record.id);
  const std::vector<std::string>& origins = block.stored.content.origins;
  record.imported = true;
  decodeOutcome(item.outcome, record.result);
  record.result.startedAt = item.startedAt;
  if (record.result.verdict != Verdict::Ok)
    record.result.error = "the log that it was imported from says no more";
  if (!item.isConfig) record.steps = decodeSteps(shapes_.of(shapeOfSteps), item.values);
  record.program = programOf(item, record.steps, taskText(record.task));
  const std::string none;
  const std::string& origin = origins.empty() ? none : origins[std::size_t(item.origin)];
  if (item.isConfig) {
    record.trace = traceOf(block.file, origin, item);
    return;
  }
  block.traces.resize(std::max<std::size_t>(1, origins.size()));
  std::string& trace = block.traces[std::size_t(item.origin)];
  if (trace.empty()) trace = traceOf(block.file, origin, item);
  record.trace = trace;
}

} // namespace nestwright
