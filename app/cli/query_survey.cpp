#include "app/cli/query_survey.h"

#include "app/cli/output.h"
#include "core/record/file/free_query.h"
#include "core/record/query/record_survey.h"
#include "core/support/json_number.h"
#include "core/support/quantity.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace nestwright::cli {

namespace {

using nlohmann::json;

json toJson(const RecordGroup& group) {
  RecordFilter filter;
  filter.conditions = group.conditions;
  return {{"name", group.name},
          {"more", group.more},
          {"filter", print(filter)},
          {"records", group.records},
          {"errors", group.errors},
          {"best_seconds", finiteOrNull(group.best)},
          {"best_record", group.bestRecord != 0 ? json(group.bestRecord) : json(nullptr)},
          {"median_seconds", group.median ? json(*group.median) : json(nullptr)}};
}

std::size_t atMost(std::size_t size, int limit) {
  return limit == 0 ? size : std::min(size, std::size_t(limit));
}

std::string partText(std::int64_t part, std::int64_t all) {
  return fmt::format("{:.1f} %", all > 0 ? 100.0 * double(part) / double(all) : 0.0);
}

} // namespace

void printGroups(const std::string& database, const RecordQuery& query, GroupBy by, int limit,
                 bool json) {
  RecordSurvey survey(database);
  std::vector<RecordGroup> groups;
  ProgressLine line;
  survey.interruptible(
      [&](double part) {
        line.show(part, 1, "reading times");
        return true;
      },
      [&] { groups = survey.groups(query, by, GroupDetail::Median); });
  line.clear();
  if (json) {
    auto list = nlohmann::json::array();
    for (std::size_t i = 0; i < atMost(groups.size(), limit); ++i)
      list.push_back(toJson(groups[i]));
    return printJson({{"by", name(by)}, {"groups", list}, {"total", groups.size()}});
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < atMost(groups.size(), limit); ++i) {
    const RecordGroup& group = groups[i];
    rows.push_back({group.more.empty() || by != GroupBy::Task
                        ? group.name
                        : fmt::format("{} on {}", group.name, group.more),
                    fmt::format("{}", group.records), formatSeconds(group.best),
                    group.median ? formatSeconds(*group.median) : "",
                    partText(group.errors, group.records),
                    group.bestRecord != 0 ? fmt::format("{}", group.bestRecord) : ""});
  }
  printTable({name(by), "records", "best", "median", "errors", "best record"}, rows,
             {1, 2, 3, 4, 5});
  if (rows.size() < groups.size())
    cli::print("\n{} shown of {} groups; --limit 0 shows all\n", rows.size(), groups.size());
}

void printFacets(const std::string& database, const RecordQuery& query, int limit, bool json) {
  RecordSurvey survey(database);
  std::vector<RecordFacet> facets;
  ProgressLine line;
  survey.interruptible(
      [&](double part) {
        line.show(part, 1, "counting");
        return true;
      },
      [&] { facets = survey.facets(query); });
  line.clear();
  auto document = nlohmann::json::object();
  std::vector<std::vector<std::string>> rows;
  for (const RecordFacet& facet : facets) {
    auto values = nlohmann::json::array();
    for (std::size_t i = 0; i < atMost(facet.groups.size(), limit); ++i) {
      const RecordGroup& group = facet.groups[i];
      const FilterCondition& condition = group.conditions.front();
      const GroupChoice choice = choiceOf(query.filter, condition);
      values.push_back({{"name", group.name},
                        {"filter", print(condition)},
                        {"records", group.records},
                        {"chosen", choice == GroupChoice::Chosen},
                        {"excluded", choice == GroupChoice::Excluded}});
      rows.push_back({i == 0 ? name(facet.by) : "",
                      choice == GroupChoice::Chosen     ? "+"
                      : choice == GroupChoice::Excluded ? "-"
                                                        : "",
                      group.name, fmt::format("{}", group.records), print(condition)});
    }
    if (const std::size_t shown = atMost(facet.groups.size(), limit); shown < facet.groups.size())
      rows.push_back({"", "", fmt::format("… and {} more", facet.groups.size() - shown), "", ""});
    document[name(facet.by)] = values;
  }
  if (json) return printJson(document);
  printTable({"facet", "", "value", "records", "filter"}, rows, {3});
}

void printTwins(const std::string& database, RowId record, bool json) {
  RecordSurvey survey(database);
  const std::vector<ProgramTwin> twins = survey.twins(record);
  double own = INFINITY;
  for (const ProgramTwin& twin : twins)
    if (twin.record == record) own = twin.seconds;
  auto list = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows;
  for (const ProgramTwin& twin : twins) {
    const double ratio = twin.seconds / own;
    list.push_back({{"record", twin.record},
                    {"session", twin.session},
                    {"target", twin.targetName},
                    {"trial", twin.trial},
                    {"verdict", name(twin.verdict)},
                    {"seconds", finiteOrNull(twin.seconds)},
                    {"ratio", finiteOrNull(ratio)},
                    {"imported", twin.imported},
                    {"forgotten", twin.forgotten}});
    rows.push_back({fmt::format("{}{}", twin.record == record ? "> " : "", twin.record),
                    twin.targetName, fmt::format("{} {}", twin.session, twin.sessionTitle),
                    fmt::format("{}", twin.trial), formatSeconds(twin.seconds),
                    std::isfinite(ratio) ? fmt::format("{:.2f}x", ratio) : "",
                    fmt::format("{}{}{}", name(twin.verdict), twin.imported ? ", imported" : "",
                                twin.forgotten ? ", forgotten" : "")});
  }
  if (json) return printJson({{"record", record}, {"measurements", list}});
  printTable({"record", "target", "session", "trial", "time", "ratio", ""}, rows, {0, 3, 4, 5});
}

void printSql(const std::string& database, const std::string& sql, int limit, double seconds,
              bool json, bool lines) {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
  auto list = nlohmann::json::array();
  const auto objectOf = [&](const std::vector<SqlCell>& cells) {
    auto object = nlohmann::json::object();
    for (std::size_t i = 0; i < cells.size(); ++i)
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
              object[names[i]] = nullptr;
            else
              object[names[i]] = value;
          },
          cells[i]);
    return object;
  };
  std::int64_t given = 0;
  std::vector<int> numbers;
  const FreeQuery result = runFreeQuery(
      database, sql, {seconds, {}},
      [&](const std::vector<std::string>& columns) { names = columns; },
      [&](const std::vector<SqlCell>& cells) {
        if (limit > 0 && given == limit) return false;
        if (given++ == 0)
          for (std::size_t i = 0; i < cells.size(); ++i)
            if (std::holds_alternative<double>(cells[i]) ||
                std::holds_alternative<std::int64_t>(cells[i]))
              numbers.push_back(int(i));
        if (lines) {
          cli::print("{}\n", jsonLine(objectOf(cells)));
          return true;
        }
        if (json) {
          list.push_back(objectOf(cells));
          return true;
        }
        std::vector<std::string>& row = rows.emplace_back();
        for (const SqlCell& cell : cells)
          row.push_back(textOf(cell));
        return true;
      });
  if (lines) return;
  if (json) return printJson({{"columns", names}, {"rows", list}, {"complete", result.complete}});
  printTable(names, rows, numbers);
  if (!result.complete)
    cli::print("\nthe first {}; --limit 0 shows all\n", quantity(std::ssize(rows), "row"));
}

} // namespace nestwright::cli
