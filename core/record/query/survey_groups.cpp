/// Groups and facets: cells of records put together by what their tasks, sessions and verdicts are.
#include "core/record/format/result_codec.h"
#include "core/record/query/record_survey.h"
#include "core/record/select/record_cells.h"
#include "core/support/infinity.h"
#include "core/support/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace nestwright {

namespace {

using sqlite::Statement;

/// What a filter can hold; a longer key is told by the task's name.
constexpr std::size_t kLongestKey = 900;

FilterCondition exactly(FilterField field, const std::string& text) {
  return {field, false, {{.text = "=" + text}}};
}
FilterCondition none(FilterField field) {
  return {field, true, {{.text = "*"}}};
}

/// "run-error", as the filter's language has it.
std::string verdictWord(Verdict verdict) {
  if (verdict == Verdict::Ok) return "none";
  std::string word = name(verdict);
  std::replace(word.begin(), word.end(), ' ', '-');
  return word;
}

double medianOf(std::vector<float>& times) {
  const auto middle = times.begin() + std::ptrdiff_t(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  if (times.size() % 2 != 0) return double(*middle);
  return (double(*middle) + double(*std::max_element(times.begin(), middle))) / 2;
}

} // namespace

/// The groups of one kind that the file can have, and which of them a record is in.
struct RecordSurvey::Grouping {
  GroupBy by = GroupBy::Task;
  std::vector<RecordGroup> groups;
  std::map<RowId, std::vector<std::size_t>> ofTask, ofSession;
  std::map<int, std::vector<std::size_t>> ofVerdict;
  std::vector<std::size_t> ofOthers; // where the maps say nothing

  const std::vector<std::size_t>& of(const RecordCell& cell) const {
    const auto find = [&](const auto& map, auto key) -> const std::vector<std::size_t>& {
      const auto found = map.find(key);
      return found == map.end() ? ofOthers : found->second;
    };
    if (by == GroupBy::Session) return find(ofSession, cell.session);
    if (by == GroupBy::Error) return find(ofVerdict, cell.verdict & ~kForgottenCode);
    return find(ofTask, cell.task);
  }
  std::size_t add(RecordGroup group) {
    groups.push_back(std::move(group));
    return groups.size() - 1;
  }
};

void RecordSurvey::nameTasks(Grouping& grouping, GroupBy by) {
  struct Task {
    RowId id;
    std::string name, key, target, targetName;
  };
  std::vector<Task> tasks;
  std::map<std::pair<std::string, std::string>, int> sameNames; // by target
  std::set<std::string> targets;
  Statement rows = db_.prepare(
      "SELECT task.id, task.name, task.key, ifnull(target.key, ''), ifnull(target.text, ''), "
      "ifnull(target.facts, '') FROM task LEFT JOIN target ON target.id = task.target");
  std::map<std::string, std::string> titles;
  while (rows.step()) {
    Task task{rows.integer(0), rows.text(1), rows.text(2), rows.text(3), {}};
    std::string& title = titles[task.target];
    if (title.empty()) title = targetTitle(rows.text(4), rows.text(5));
    task.targetName = title;
    ++sameNames[{task.target, lowerCase(task.name)}];
    targets.insert(task.target);
    tasks.push_back(std::move(task));
  }
  if (by == GroupBy::Operator) {
    struct Words {
      std::size_t group;
      bool alone = false, more = false; // the name is the word, or goes on after it
    };
    std::map<std::string, Words> operators;
    for (const Task& task : tasks) {
      const std::string word(operatorOf(task.name));
      const auto [at, isNew] =
          operators.try_emplace(lowerCase(word), Words{grouping.groups.size()});
      if (isNew) grouping.add({.name = word, .more = {}, .conditions = {}, .median = {}});
      (word.size() == task.name.size() ? at->second.alone : at->second.more) = true;
      grouping.ofTask[task.id] = {at->second.group};
    }
    for (const auto& [key, words] : operators) {
      FilterCondition condition{FilterField::Task, false, {}};
      const std::string& word = grouping.groups[words.group].name;
      if (words.more) condition.values.push_back({.text = word + " *"});
      if (words.alone) condition.values.push_back({.text = "=" + word});
      grouping.groups[words.group].conditions = {condition};
    }
    return;
  }
  for (const Task& task : tasks) {
    const bool named =
        sameNames[{task.target, lowerCase(task.name)}] == 1 || task.key.size() > kLongestKey;
    RecordGroup group{.id = task.id, .name = task.name, .more = {}, .conditions = {}, .median = {}};
    group.conditions = {exactly(FilterField::Task, named ? task.name : task.key)};
    if (targets.size() > 1) {
      group.more = task.targetName;
      group.conditions.push_back(task.target.empty() ? none(FilterField::Target)
                                                     : exactly(FilterField::Target, task.target));
    }
    grouping.ofTask[task.id] = {grouping.add(std::move(group))};
  }
}

void RecordSurvey::nameTargets(Grouping& grouping) {
  std::map<RowId, std::size_t> targets;
  std::map<std::string, int> same;
  Statement rows = db_.prepare("SELECT id, key, text, facts FROM target");
  while (rows.step()) {
    RecordGroup group{.id = rows.integer(0),
                      .name = targetTitle(rows.text(2), rows.text(3)),
                      .more = rows.text(2),
                      .conditions = {exactly(FilterField::Target, rows.text(1))},
                      .median = {}};
    ++same[group.name];
    const RowId target = group.id;
    targets[target] = grouping.add(std::move(group));
  }
  for (RecordGroup& group : grouping.groups)
    if (same[group.name] > 1) group.name += " · " + group.conditions[0].values[0].text.substr(1);
  const std::size_t noTarget = grouping.add(
      {.name = "no target", .more = {}, .conditions = {none(FilterField::Target)}, .median = {}});
  Statement tasks = db_.prepare("SELECT id, target FROM task");
  while (tasks.step())
    grouping.ofTask[tasks.integer(0)] = {tasks.isNull(1) ? noTarget : targets[tasks.integer(1)]};
}

/// By name, as the filter knows them: networks of one name are one group.
void RecordSurvey::nameNetworks(Grouping& grouping) {
  std::map<std::string, std::size_t> byName;
  std::vector<std::tuple<RowId, std::string, std::string>> networks;
  Statement rows = db_.prepare("SELECT id, name, spec FROM network ORDER BY id");
  while (rows.step())
    networks.emplace_back(rows.integer(0), rows.text(1), rows.text(2));
  for (const auto& [id, name, spec] : networks) {
    const auto [at, isNew] = byName.try_emplace(lowerCase(name), grouping.groups.size());
    if (isNew)
      grouping.add({.name = name,
                    .more = spec,
                    .conditions = {exactly(FilterField::Network, name)},
                    .median = {}});
    else
      grouping.groups[at->second].more += ", " + spec;
  }
  std::map<RowId, std::set<std::size_t>> of; // a name is found in specs, too
  for (const auto& [id, name, spec] : networks) {
    of[id].insert(byName[lowerCase(name)]);
    if (const auto found = byName.find(lowerCase(spec)); found != byName.end())
      of[id].insert(found->second);
  }
  std::map<RowId, std::set<std::size_t>> ofTask;
  Statement places =
      db_.prepare("SELECT task, network FROM network_task WHERE network IS NOT NULL");
  while (places.step())
    ofTask[places.integer(0)].insert(of[places.integer(1)].begin(), of[places.integer(1)].end());
  for (const auto& [task, groups] : ofTask)
    grouping.ofTask[task].assign(groups.begin(), groups.end());
  grouping.ofOthers = {grouping.add({.name = "no network",
                                     .more = "single operators and imported tasks",
                                     .conditions = {none(FilterField::Network)},
                                     .median = {}})};
}

RecordSurvey::Grouping RecordSurvey::grouping(GroupBy by) {
  Grouping grouping;
  grouping.by = by;
  switch (by) {
  case GroupBy::Task:
  case GroupBy::Operator:
    nameTasks(grouping, by);
    break;
  case GroupBy::Target:
    nameTargets(grouping);
    break;
  case GroupBy::Network:
    nameNetworks(grouping);
    break;
  case GroupBy::Session: {
    Statement rows = db_.prepare("SELECT id, title FROM session");
    while (rows.step()) {
      const auto number = double(rows.integer(0));
      FilterCondition condition{
          FilterField::Session, false, {{.text = {}, .low = number, .high = number}}};
      const std::size_t group =
          grouping.add({.id = rows.integer(0),
                        .name = fmt::format("{} {}", rows.integer(0), rows.text(1)),
                        .more = {},
                        .conditions = {condition},
                        .median = {}});
      grouping.ofSession[rows.integer(0)] = {group};
    }
    break;
  }
  case GroupBy::Error:
    for (int i = 0; i < kVerdictCount; ++i) {
      const auto verdict = Verdict(i);
      FilterCondition condition{FilterField::Error, false, {{.text = verdictWord(verdict)}}};
      grouping.ofVerdict[codeOf(verdict)] = {
          grouping.add({.name = verdict == Verdict::Ok ? "none" : nestwright::name(verdict),
                        .more = {},
                        .conditions = {condition},
                        .median = {}})};
    }
    break;
  case GroupBy::Tag: // a record may have several; see addTags
    break;
  }
  return grouping;
}

/// The fastest of the cell's records that match, where it is faster than what is known.
void RecordSurvey::addBest(const QuerySql& sql, const RecordCell& cell, double& best,
                           RowId& record) {
  if (!cell.isGood()) return;
  const bool bounded = sql.onlyTimed || sql.record.sql.empty();
  QuerySql own{.group = {}, .record = sql.record};
  own.onlyTimed = bounded;
  own.above = sql.above, own.below = sql.below;
  // The index by speed begins with it, where nothing else is asked.
  Statement row = bounded && cell.verdict == 0
                      ? recordsOf(db_, own, cell, "seconds, id", " ORDER BY seconds, id LIMIT 1")
                      : recordsOf(db_, own, cell, "min(seconds), id");
  if (!row.step() || row.isNull(0) || row.real(0) >= best) return;
  best = row.real(0);
  record = row.integer(1);
}

void RecordSurvey::addMedians(const QuerySql& sql, const std::vector<RecordCell>& cells,
                              Grouping& grouping) {
  std::vector<std::vector<const RecordCell*>> ofGroup(grouping.groups.size());
  for (const RecordCell& cell : cells)
    if (cell.isGood())
      for (const std::size_t group : grouping.of(cell)) {
        ofGroup[group].push_back(&cell);
        expect(cell.records);
      }
  QuerySql own{.group = {}, .record = sql.record};
  own.onlyTimed = sql.onlyTimed || sql.record.sql.empty();
  own.above = sql.above, own.below = sql.below;
  std::vector<float> times; // 4 bytes are exact enough; of one group at a time
  for (std::size_t i = 0; i < ofGroup.size(); ++i) {
    times.clear();
    for (const RecordCell* cell : ofGroup[i]) {
      Statement rows = recordsOf(db_, own, *cell, "seconds");
      while (rows.step())
        if (!rows.isNull(0)) times.push_back(float(rows.real(0)));
      done_ += cell->records;
    }
    if (!times.empty()) grouping.groups[i].median = medianOf(times);
  }
}

void RecordSurvey::addTags(const RecordQuery& query, GroupDetail detail,
                           std::vector<RecordGroup>& groups) {
  const QuerySql sql = conditionsOf(db_, query);
  SqlCondition all = joined(sql.record, sql.group);
  // Whole, no index is entered by it: those of a tag are few.
  if (!all.sql.empty()) all.sql = fmt::format("({}) IS TRUE", all.sql);
  Statement tags = db_.prepare("SELECT id, name FROM tag ORDER BY name");
  while (tags.step()) {
    RecordGroup group{.name = tags.text(1),
                      .more = {},
                      .conditions = {exactly(FilterField::Tag, tags.text(1))},
                      .median = {}};
    Statement rows =
        db_.prepare("SELECT seconds, verdict, id, task FROM record WHERE id IN (SELECT "
                    "record FROM record_tag WHERE tag = ?)" +
                    all.also());
    rows.bind(tags.integer(0));
    all.bind(rows, 2);
    std::vector<float> times;
    while (rows.step()) {
      ++group.records;
      if ((rows.integer(1) & ~kForgottenCode) != 0) ++group.errors;
      if (rows.isNull(0)) continue;
      times.push_back(float(rows.real(0)));
      if (rows.real(0) >= group.best) continue;
      group.best = rows.real(0);
      group.bestRecord = rows.integer(2);
      group.bestTask = rows.integer(3);
    }
    if (detail == GroupDetail::Median && !times.empty()) group.median = medianOf(times);
    groups.push_back(std::move(group));
  }
}

namespace {

void sortBySize(std::vector<RecordGroup>& groups) {
  std::stable_sort(groups.begin(), groups.end(), [](const RecordGroup& a, const RecordGroup& b) {
    return a.records > b.records;
  });
}

} // namespace

std::vector<RecordGroup> RecordSurvey::groups(const RecordQuery& query, GroupBy by,
                                              GroupDetail detail) {
  Grouping grouping = this->grouping(by);
  if (by == GroupBy::Tag) {
    addTags(query, detail, grouping.groups);
  } else {
    const QuerySql sql = conditionsOf(db_, query);
    const sqlite::Snapshot moment(db_);
    const std::vector<RecordCell> cells = counted(sql);
    for (const RecordCell& cell : cells) {
      double best = kInfinity;
      RowId record = 0;
      if (detail != GroupDetail::Counts) addBest(sql, cell, best, record);
      for (const std::size_t i : grouping.of(cell)) {
        RecordGroup& group = grouping.groups[i];
        group.records += cell.records;
        if (!cell.isGood()) group.errors += cell.records;
        if (best < group.best)
          group.best = best, group.bestRecord = record, group.bestTask = cell.task;
      }
    }
    if (detail == GroupDetail::Median) addMedians(sql, cells, grouping);
  }
  std::erase_if(grouping.groups, [](const RecordGroup& group) { return group.records == 0; });
  sortBySize(grouping.groups);
  return std::move(grouping.groups);
}

std::vector<RecordFacet> RecordSurvey::facets(const RecordQuery& query) {
  struct Part {
    GroupBy by;
    QuerySql sql;
    std::vector<RecordCell> cells;
  };
  std::vector<Part> parts;
  std::map<std::tuple<RowId, RowId, int>, std::int64_t> known; // records that match, of a cell
  for (const GroupBy by : kFacets) {
    RecordQuery relaxed = query;
    relaxed.filter = without(query.filter, by);
    // A filter that names one goes before the one in hand.
    if (by == GroupBy::Operator) relaxed.task = 0;
    if (by == GroupBy::Session) relaxed.session = 0;
    parts.push_back({by, conditionsOf(db_, relaxed), {}});
  }
  const sqlite::Snapshot moment(db_);
  // Conditions on single records are the same for all facets but the tags, so no cell is read
  // twice.
  for (Part& part : parts) {
    if (part.by == GroupBy::Tag) continue;
    if (part.sql.few) {
      part.cells = counted(part.sql);
      continue;
    }
    part.cells = cellsOf(db_, part.sql.group);
    if (part.sql.record.sql.empty()) continue;
    for (const RecordCell& cell : part.cells)
      if (known.try_emplace({cell.task, cell.session, cell.verdict}, -1).second)
        expect(cell.records);
  }
  std::vector<RecordFacet> facets;
  for (Part& part : parts) {
    Grouping grouping = this->grouping(part.by);
    if (part.by == GroupBy::Tag) {
      RecordQuery relaxed = query;
      relaxed.filter = without(query.filter, part.by);
      addTags(relaxed, GroupDetail::Counts, grouping.groups);
    }
    for (RecordCell& cell : part.cells) {
      if (const auto at = known.find({cell.task, cell.session, cell.verdict}); at != known.end()) {
        if (at->second < 0) {
          Statement row = recordsOf(db_, part.sql, cell, "count(*)");
          at->second = row.step() ? row.integer(0) : 0;
          done_ += cell.records;
        }
        cell.records = at->second;
      }
      for (const std::size_t i : grouping.of(cell)) {
        grouping.groups[i].records += cell.records;
        if (!cell.isGood()) grouping.groups[i].errors += cell.records;
      }
    }
    std::erase_if(grouping.groups, [&](const RecordGroup& group) {
      return group.records == 0 &&
             choiceOf(query.filter, group.conditions.at(0)) == GroupChoice::Open;
    });
    sortBySize(grouping.groups);
    facets.push_back({part.by, std::move(grouping.groups)});
  }
  return facets;
}

} // namespace nestwright
