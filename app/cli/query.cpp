#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/record/store.h"
#include "core/support/error.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct QueryOptions {
  std::string database, verdict, order = "newest";
  RecordQuery query;
  int limit = 20;
  bool json = false;
};

/// Calls `f` for up to `limit` records (0: all) in pages by key.
void forEachRecord(const RecordStore& store, RecordQuery query, int limit,
                   const std::function<void(const Record&)>& f) {
  constexpr int kPage = 1000;
  int left = limit == 0 ? std::numeric_limits<int>::max() : limit;
  while (left > 0) {
    query.limit = std::min(left, kPage);
    const std::vector<Record> page = store.records(query);
    for (const Record& record : page)
      f(record);
    if (static_cast<int>(page.size()) < query.limit) return;
    left -= query.limit;
    query.after = page.back();
  }
}

json recordJson(const Record& record) {
  json seconds = nullptr;
  if (record.result.verdict == Verdict::Ok) seconds = record.result.median();
  return {{"id", record.id},
          {"session", record.session},
          {"task", record.task},
          {"trial", record.trial},
          {"verdict", name(record.result.verdict)},
          {"seconds", seconds},
          {"repeats", record.result.seconds},
          {"verified", record.verified},
          {"implausible", record.implausible},
          {"best", record.best},
          {"on_demand", record.onDemand},
          {"forgotten", record.forgotten},
          {"error", record.result.error},
          {"program", record.program},
          {"steps", toJson(record.steps)}};
}

void query(QueryOptions& options) {
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  RecordQuery& query = options.query;
  if (!options.verdict.empty()) query.verdict = verdictFromName(options.verdict);
  query.order = options.order == "fastest"  ? RecordQuery::Order::Fastest
                : options.order == "oldest" ? RecordQuery::Order::Oldest
                                            : RecordQuery::Order::Newest;
  json list = json::array();
  std::vector<std::vector<std::string>> rows;
  std::map<RowId, std::string> names;
  for (const TaskRow& task : store.tasks())
    names[task.id] = task.name;
  forEachRecord(store, query, options.limit, [&](const Record& record) {
    if (options.json) {
      list.push_back(recordJson(record));
      return;
    }
    rows.push_back({fmt::format("{}", record.id), names[record.task],
                    fmt::format("{}", record.trial), formatSeconds(record.result.median()),
                    record.forgotten  ? "forgotten"
                    : record.best     ? "best"
                    : record.verified ? "verified"
                                      : "",
                    record.result.verdict == Verdict::Ok ? "ok" : oneSentence(record.result)});
  });
  if (options.json) {
    printJson({{"records", list}, {"total", store.recordCount()}});
    return;
  }
  printTable({"record", "task", "trial", "time", "", "verdict"}, rows, {0, 2, 3});
  fmt::print("\n{} shown of {} in {}\n", rows.size(), store.recordCount(), store.path());
}

} // namespace

void addQuery(CLI::App& app) {
  auto options = std::make_shared<QueryOptions>();
  CLI::App* verb = app.add_subcommand("query", "Filter, sort and list the records of a file");
  verb->add_option("--db", options->database, "Record file")->required();
  verb->add_option("--task", options->query.task, "Only this task (its id in the file)");
  verb->add_option("--session", options->query.session, "Only this session");
  verb->add_option("--verdict", options->verdict, "Only this verdict, e.g. ok or \"run timeout\"");
  verb->add_flag("--errors", options->query.onlyErrors, "Only records that are not ok");
  verb->add_option("--below", options->query.belowSeconds, "Only times below this many seconds")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--order", options->order, "newest, oldest or fastest")
      ->check(CLI::IsMember({"newest", "oldest", "fastest"}))
      ->capture_default_str();
  verb->add_flag(
      "--forgotten",
      [options](std::int64_t) { options->query.forgotten = RecordQuery::Forgotten::Only; },
      "Only records that were forgotten (see `nestwright forget`)");
  verb->add_option("--limit", options->limit, "Most records to show (0: all)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->callback([options] { query(*options); });
}

} // namespace nestwright::cli
