#include "app/cli/checks.h"
#include "app/cli/named_rows.h"
#include "app/cli/output.h"
#include "app/cli/query_survey.h"
#include "app/cli/verbs.h"
#include "core/record/format/record_json.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/task_failure.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace nestwright::cli {

namespace {

using nlohmann::json;

struct QueryOptions {
  std::string database, verdict, filter, order = "newest", groupBy, sql;
  RecordQuery query;
  int limit = 20;
  bool json = false, lines = false, statistics = false, facets = false;
  RowId sameProgram = 0;
  double seconds = 0;
};

constexpr std::pair<const char*, RecordQuery::Order> kOrders[] = {
    {"newest", RecordQuery::Order::Newest},   {"oldest", RecordQuery::Order::Oldest},
    {"fastest", RecordQuery::Order::Fastest}, {"slowest", RecordQuery::Order::Slowest},
    {"task", RecordQuery::Order::ByTask},     {"verdict", RecordQuery::Order::ByVerdict}};

RecordQuery::Order orderNamed(std::string_view name) {
  for (const auto& [known, order] : kOrders)
    if (name == known) return order;
  throw UsageError(fmt::format("there is no order \"{}\"", name));
}

/// The filter; a mistake is shown in its place.
RecordFilter filterOf(const std::string& text) {
  try {
    return parseRecordFilter(text);
  } catch (const FilterError& error) {
    const auto shown = [&](std::size_t from, std::size_t to) { // characters, not bytes
      return std::count_if(text.begin() + std::ptrdiff_t(from), text.begin() + std::ptrdiff_t(to),
                           [](char c) { return (std::uint8_t(c) & 0xC0) != 0x80; });
    };
    throw UsageError(fmt::format(
        "{}\n  {}\n  {}{}", error.what(), text,
        std::string(std::size_t(shown(0, error.begin())), ' '),
        std::string(std::size_t(std::max<std::ptrdiff_t>(1, shown(error.begin(), error.end()))),
                    '^')));
  }
}

/// Calls `f` for up to `limit` records (0: all) in pages by key.
void forEachRecord(const RecordStore& store, RecordQuery query, int limit,
                   const std::function<void(const Record&)>& f) {
  constexpr int kPage = 1000;
  int left = limit == 0 ? std::numeric_limits<int>::max() : limit;
  while (left > 0) {
    query.limit = std::min(left, kPage);
    const std::vector<Record> page = store.records().page(query);
    for (const Record& record : page)
      f(record);
    if (static_cast<int>(page.size()) < query.limit) return;
    left -= query.limit;
    query.after = page.back().id;
  }
}

/// Tasks of which there are no records, or no more, for a reason.
std::vector<UntunedTask> untunedOf(const RecordStore& store, const RecordQuery& query) {
  std::vector<UntunedTask> untuned;
  for (const SessionRow& session : store.sessions().all()) {
    if (query.session != 0 && session.id != query.session) continue;
    for (UntunedTask& task : untunedTasks(store, session.id))
      if (query.task == 0 || task.task == query.task) untuned.push_back(std::move(task));
  }
  return untuned;
}

json untunedJson(const std::vector<UntunedTask>& tasks) {
  json list = json::array();
  for (const UntunedTask& task : tasks)
    list.push_back({{"task", task.task}, {"name", task.name}, {kindOf(task), task.reason}});
  return list;
}

json statisticsJson(const RecordStatistics& figures) {
  json verdicts = json::object();
  for (const VerdictCount& count : figures.verdicts)
    verdicts[name(count.verdict)] = count.records;
  json times = nullptr;
  if (figures.measured > 0)
    times = {{"best", figures.best},
             {"median", figures.median},
             {"mean", figures.mean},
             {"deviation", figures.deviation},
             {"quartiles", {figures.lowQuartile, figures.highQuartile}},
             {"worst", figures.worst}};
  return {{"records", figures.records}, {"verdicts", verdicts}, {"seconds", times}};
}

void printStatistics(const RecordStatistics& figures) {
  std::vector<std::vector<std::string>> rows{{"records", fmt::format("{}", figures.records)}};
  for (const VerdictCount& count : figures.verdicts)
    rows.push_back({name(count.verdict), fmt::format("{}", count.records)});
  if (figures.measured > 0)
    for (const auto& [label, seconds] : {std::pair("best", figures.best),
                                         {"lower quartile", figures.lowQuartile},
                                         {"median", figures.median},
                                         {"mean", figures.mean},
                                         {"upper quartile", figures.highQuartile},
                                         {"worst", figures.worst}})
      rows.push_back({label, formatSeconds(seconds)});
  printTable({"", ""}, rows, {1});
}

/// How a measurement ended; of one in micro-batches also how many runs it took, and why no more.
std::string endText(const MeasureResult& result) {
  if (result.verdict != Verdict::Ok) return oneSentence(result);
  if (!result.evaluation) return "ok";
  const Evaluation& evaluation = *result.evaluation;
  return fmt::format("ok, {}: {}", quantity(evaluation.batches * result.runsPerRepeat, "run"),
                     name(evaluation.stopped));
}

void query(QueryOptions& options) {
  if (!options.sql.empty())
    return printSql(options.database, options.sql, options.limit, options.seconds, options.json,
                    options.lines);
  RecordQuery& query = options.query;
  query.filter = filterOf(options.filter);
  query.order = orderNamed(options.order);
  if (!options.verdict.empty()) query.verdict = verdictFromName(options.verdict);
  requireNamedRows(options.database, query);
  if (options.sameProgram != 0)
    return printTwins(options.database, options.sameProgram, options.json);
  if (options.facets) return printFacets(options.database, query, options.limit, options.json);
  if (!options.groupBy.empty())
    return printGroups(options.database, query, groupByNamed(options.groupBy), options.limit,
                       options.json);
  const RecordStore store = RecordStore::open(options.database, OpenMode::ReadOnly);
  if (options.statistics) {
    const RecordStatistics figures = store.records().statistics(query);
    if (options.json)
      printJson(statisticsJson(figures));
    else
      printStatistics(figures);
    return;
  }
  if (options.lines) {
    forEachRecord(store, query, options.limit,
                  [](const Record& record) { cli::print("{}\n", jsonLine(toJson(record))); });
    return;
  }
  json list = json::array();
  std::vector<std::vector<std::string>> rows;
  std::map<RowId, std::string> names;
  for (const TaskRow& task : store.tasks().all())
    names[task.id] = task.name;
  forEachRecord(store, query, options.limit, [&](const Record& record) {
    if (options.json) {
      list.push_back(toJson(record));
      return;
    }
    rows.push_back({fmt::format("{}", record.id), names[record.task],
                    fmt::format("{}", record.trial), formatSeconds(record.result.latency()),
                    record.forgotten  ? "forgotten"
                    : record.best     ? "best"
                    : record.verified ? "verified"
                                      : "",
                    endText(record.result)});
  });
  const std::vector<UntunedTask> untuned = untunedOf(store, query);
  if (options.json) {
    printJson({{"records", list},
               {"matching", store.records().count(query)},
               {"total", store.records().total()},
               {"untuned", untunedJson(untuned)}});
    return;
  }
  printTable({"record", "task", "trial", "time", "", "verdict"}, rows, {0, 2, 3});
  cli::print("\n{} shown of {} that match, of {} in {}\n", rows.size(),
             store.records().count(query), store.records().total(), store.path());
  if (!untuned.empty()) cli::print("not tuned:\n{}\n", inWords(untuned));
}

} // namespace

namespace {

/// "task (task:conv2d), latency (latency<1ms), ..."
std::string fieldList() {
  std::string list;
  for (const FilterFieldInfo& field : filterFields())
    list += (list.empty() ? "" : ", ") + std::string(field.example);
  return list;
}

} // namespace

void addQuery(CLI::App& app) {
  auto options = std::make_shared<QueryOptions>();
  CLI::App* verb = app.add_subcommand("query", "Filter, sort and list the records of a file");
  verb->add_option("--db", options->database, "Record file")->required();
  verb->add_option("--filter", options->filter,
                   "Conditions that must all hold, as in \"task:conv2d latency<1ms -error:timeout "
                   "steps:rfactor\". Fields: " +
                       fieldList());
  verb->add_option("--task", options->query.task, "Only this task (its id in the file)");
  verb->add_option("--session", options->query.session, "Only this session");
  verb->add_option("--verdict", options->verdict, "Only this verdict, e.g. ok or \"run timeout\"")
      ->check(verdictProblem);
  verb->add_flag("--errors", options->query.onlyErrors, "Only records that are not ok");
  verb->add_option("--below", options->query.belowSeconds, "Only times below this many seconds")
      ->check(notNegative());
  std::vector<std::string> orders;
  for (const auto& [name, order] : kOrders)
    orders.emplace_back(name);
  verb->add_option("--order", options->order, "Which first")
      ->check(CLI::IsMember(orders))
      ->capture_default_str();
  verb->add_flag(
      "--forgotten",
      [options](std::int64_t) { options->query.forgotten = RecordQuery::Forgotten::Only; },
      "Only records that were forgotten (see `nestwright forget`)");
  verb->add_option("--limit", options->limit, "Most records to show (0: all)")
      ->check(notNegative())
      ->capture_default_str();
  verb->add_flag("--statistics", options->statistics,
                 "Print figures of all that match instead: counts, best, median, quartiles, mean");
  std::vector<std::string> groupings;
  for (const GroupBy by : kGroupings)
    groupings.emplace_back(name(by));
  CLI::Option* group =
      verb->add_option("--group-by", options->groupBy,
                       "Print groups of what matches instead: records, best, median, errors")
          ->check(CLI::IsMember(groupings));
  CLI::Option* facets =
      verb->add_flag("--facets", options->facets,
                     "Print how many records each operator, network, target, session, error and "
                     "tag would list instead")
          ->excludes(group);
  verb->add_option("--same-program", options->sameProgram,
                   "Print all measurements of this record's program instead, on whatever target")
      ->check(positive())
      ->excludes(group)
      ->excludes(facets);
  CLI::Option* sql =
      verb->add_option("--sql", options->sql,
                       "Print what this SELECT gives instead; the view `records` says everything "
                       "in words and usual units. Nothing can be changed with it")
          ->excludes(group)
          ->excludes(facets);
  verb->add_option("--time-limit", options->seconds, "Seconds that --sql may take (0: any)")
      ->check(notNegative())
      ->needs(sql);
  CLI::Option* json = verb->add_flag("--json", options->json, "Print as one JSON document");
  verb->add_flag("--lines", options->lines,
                 "Print each record as a line of JSON as soon as it is read; for many records")
      ->excludes(json);
  verb->callback([options, sql] {
    if (sql->count() > 0 && options->sql.find_first_not_of(" \t\r\n;") == std::string::npos)
      throw UsageError("--sql is empty; write a SELECT, as in \"SELECT count(*) FROM records\"");
    query(*options);
  });
}

} // namespace nestwright::cli
