#include "core/record/format/step_codec.h"
#include "core/record/store/store_impl.h"
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

void RecordStore::Impl::addFunctions() {
  const auto imported = [](sqlite3_context* context, int, sqlite3_value** values) noexcept {
    try {
      const std::string program =
          static_cast<Impl*>(sqlite3_user_data(context))
              ->importedProgram(sqlite3_value_int64(values[0]), sqlite3_value_int64(values[1]),
                                sqlite3_value_int64(values[2]));
      sqlite3_result_text(context, program.data(), int(program.size()), SQLITE_TRANSIENT);
    } catch (const std::exception& error) {
      sqlite3_result_error(context, error.what(), -1);
    }
  };
  sqlite3_create_function_v2(db.handle(), kImportedProgram, 3,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, this, imported,
                             nullptr, nullptr, nullptr);
}

std::string RecordStore::Impl::importedProgram(RowId record, RowId task, RowId shapeOfSteps) {
  const ReadBlock& block = blockOf(record);
  const ImportedItem& item = block.content.items.at(std::size_t(record - block.first));
  const Steps steps = item.isConfig ? Steps{} : decodeSteps(shape(shapeOfSteps), item.values);
  return programOf(item, steps, taskText(task));
}

RecordStore::Impl::ReadBlock& RecordStore::Impl::blockOf(RowId record) {
  for (auto block = blocks.begin(); block != blocks.end(); ++block)
    if (record >= block->first && record < block->first + RowId(block->content.items.size())) {
      blocks.splice(blocks.begin(), blocks, block);
      return blocks.front();
    }
  Statement find = db.prepare(kFindBlock);
  if (!find.bind(record).step() || record >= find.integer(0) + find.integer(1))
    throw InputError("the file is damaged: the block that holds it is missing");
  ReadBlock block{find.integer(0), {}, decodeBlock(find.view(3)), {}};
  if (std::int64_t(block.content.items.size()) != find.integer(1))
    throw InputError("the file is damaged: the block that holds it is incomplete");
  Statement source = db.prepare("SELECT path FROM import_source WHERE id = ?");
  if (source.bind(find.integer(2)).step()) block.file = source.text(0);
  blocks.push_front(std::move(block));
  if (blocks.size() > kCachedBlocks) blocks.pop_back();
  return blocks.front();
}

const std::string& RecordStore::Impl::taskText(RowId task) {
  if (const auto known = taskTexts.find(task); known != taskTexts.end()) return known->second;
  Statement find =
      db.prepare("SELECT CASE dag WHEN '' THEN key ELSE dag END FROM task WHERE id = ?");
  if (!find.bind(task).step())
    throw InputError(fmt::format("the file is damaged: task {} is missing", task));
  if (taskTexts.size() >= kCachedTasks) taskTexts.clear();
  return taskTexts[task] = find.text(0);
}

void RecordStore::Impl::readImported(Record& record, RowId shapeOfSteps) {
  ReadBlock& block = blockOf(record.id);
  const ImportedItem& item = block.content.items.at(std::size_t(record.id - block.first));
  record.imported = true;
  decodeOutcome(item.outcome, record.result);
  record.result.startedAt = item.startedAt;
  if (record.result.verdict != Verdict::Ok)
    record.result.error = fmt::format("{}; the log that it was imported from says no more",
                                      name(record.result.verdict));
  if (!item.isConfig) record.steps = decodeSteps(shape(shapeOfSteps), item.values);
  record.program = programOf(item, record.steps, taskText(record.task));
  const std::string none;
  const std::string& origin =
      block.content.origins.empty() ? none : block.content.origins[std::size_t(item.origin)];
  if (item.isConfig) {
    record.trace = traceOf(block.file, origin, item);
    return;
  }
  block.traces.resize(std::max<std::size_t>(1, block.content.origins.size()));
  std::string& trace = block.traces[std::size_t(item.origin)];
  if (trace.empty()) trace = traceOf(block.file, origin, item);
  record.trace = trace;
}

} // namespace nestwright
