#pragma once
/// \file What a query asks for, told record by record in plain words: what the tests compare the
/// queries of a file with.

#include "core/record/format/step_codec.h"
#include "core/record/rows/record_query.h"
#include "core/record/rows/session_row.h"
#include "core/record/rows/task_row.h"

#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// What filters ask for beside the record itself.
struct Facts {
  std::set<RowId> bests; // of their tasks, of the session and the time that is asked about
  std::map<RowId, TaskRow> tasks;
  std::map<RowId, SessionRow> sessions;
};

inline bool like(const std::string& text, const std::string& pattern) {
  static std::map<std::string, QRegularExpression> known;
  QRegularExpression& expression = known[pattern];
  if (expression.pattern().isEmpty()) {
    QString wild = QRegularExpression::escape(QString::fromStdString(pattern));
    wild.replace(QStringLiteral("\\*"), QStringLiteral(".*"))
        .replace(QStringLiteral("\\?"), QStringLiteral("."));
    if (pattern.starts_with("="))
      wild = QRegularExpression::anchoredPattern(
          QRegularExpression::escape(QString::fromStdString(pattern.substr(1))));
    else if (pattern.size() > 2 && pattern.starts_with("/") && pattern.ends_with("/"))
      wild = QString::fromStdString(pattern.substr(1, pattern.size() - 2));
    else if (pattern.find_first_of("*?") != std::string::npos)
      wild = QRegularExpression::anchoredPattern(wild);
    expression = QRegularExpression(wild, QRegularExpression::CaseInsensitiveOption);
  }
  return expression.match(QString::fromStdString(text)).hasMatch();
}

inline bool within(double number, const FilterValue& value) {
  return (value.lowOpen ? number > value.low : number >= value.low) &&
         (value.highOpen ? number < value.high : number <= value.high);
}

inline bool hasStep(const Record& record, const std::string& kind) {
  const std::map<std::string, std::string> tags = {{"rfactor", "RF"}, {"split", "SP"},
                                                   {"fuse", "FU"},    {"compute-at", "CA"},
                                                   {"pragma", "PR"},  {"cache-write", "CHW"}};
  return std::any_of(record.steps.begin(), record.steps.end(),
                     [&](const Step& step) { return tag(step) == tags.at(kind); });
}

/// The fastest of each task that may be its best, in the session that is listed or named alone.
inline std::set<RowId> bestsOf(const std::vector<Record>& records, const RecordQuery& query) {
  RowId session = query.session;
  for (const FilterCondition& named : query.filter.conditions)
    if (session == 0 && named.field == FilterField::Session && !named.negated &&
        named.values.size() == 1 && named.values[0].low == named.values[0].high)
      session = static_cast<RowId>(named.values[0].low);
  std::map<RowId, const Record*> best;
  for (const Record& record : records) {
    if (record.result.verdict != Verdict::Ok || record.forgotten || !record.verified ||
        record.implausible || record.contested || (session != 0 && record.session != session) ||
        (query.upTo != 0 && record.id > query.upTo))
      continue;
    const Record*& known = best[record.task];
    if (known == nullptr || record.result.latency() < known->result.latency()) known = &record;
  }
  std::set<RowId> ids;
  for (const auto& [task, record] : best)
    ids.insert(record->id);
  return ids;
}

inline bool hasMark(const Record& record, const std::string& mark, const Facts& facts) {
  return mark == "best"          ? facts.bests.contains(record.id)
         : mark == "was-best"    ? record.best && !facts.bests.contains(record.id)
         : mark == "verified"    ? record.verified
         : mark == "implausible" ? record.implausible
         : mark == "contested"   ? record.contested
         : mark == "on-demand"   ? record.onDemand
                                 : record.forgotten;
}

inline bool failed(const Record& record, const std::string& word) {
  const Verdict verdict = record.result.verdict;
  if (word == "none") return verdict == Verdict::Ok;
  if (word == "any") return verdict != Verdict::Ok;
  std::string name = nestwright::name(verdict);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name == word || (word == "timeout" && name.ends_with("timeout"));
}

inline bool matches(const Record& record, FilterField field, const FilterValue& value,
                    const Facts& facts) {
  const TaskRow& task = facts.tasks.at(record.task);
  const double seconds = record.result.latency();
  const bool ok = record.result.verdict == Verdict::Ok;
  switch (field) {
  case FilterField::Task:
    if (value.text == fmt::format("T{}", task.index)) return true;
    return like(task.name, value.text) || like(task.key, value.text);
  case FilterField::Network:
    return like("resnet18", value.text);
  case FilterField::Target:
    return like("llvm -keys=cpu", value.text);
  case FilterField::Session:
    return value.isNumber() ? within(double(record.session), value)
                            : like(facts.sessions.at(record.session).title, value.text);
  case FilterField::Weight:
    return within(task.weight, value);
  case FilterField::Latency:
    return ok && within(seconds, value);
  case FilterField::Gflops:
    return ok && within(task.flops / seconds / 1e9, value);
  case FilterField::Error:
    return failed(record, value.text);
  case FilterField::Is:
    return hasMark(record, value.text, facts);
  case FilterField::Steps:
    return hasStep(record, value.text);
  case FilterField::Tag:
    if (value.text == "any" || value.text == "none")
      return record.tags.empty() == (value.text == "none");
    return std::any_of(record.tags.begin(), record.tags.end(),
                       [&](const std::string& tag) { return like(tag, value.text); });
  case FilterField::Trial:
    return within(double(record.trial), value);
  case FilterField::Record:
    return within(double(record.id), value);
  case FilterField::Wall:
    return within(record.wallSeconds, value);
  case FilterField::Program:
    return record.program.starts_with(value.text);
  }
  return false;
}

inline bool matches(const Record& record, const RecordQuery& query, const Facts& facts) {
  bool forgotten = query.forgotten != RecordQuery::Forgotten::Without;
  for (const FilterCondition& condition : query.filter.conditions)
    for (const FilterValue& value : condition.values)
      forgotten |= condition.field == FilterField::Is && value.text == "forgotten";
  if (record.forgotten && !forgotten) return false;
  if (query.session != 0 && record.session != query.session) return false;
  if (query.upTo != 0 && record.id > query.upTo) return false;
  return std::all_of(query.filter.conditions.begin(), query.filter.conditions.end(),
                     [&](const FilterCondition& condition) {
                       const bool any =
                           std::any_of(condition.values.begin(), condition.values.end(),
                                       [&](const FilterValue& value) {
                                         return matches(record, condition.field, value, facts);
                                       });
                       return any != condition.negated;
                     });
}

/// The key of the order, smaller first; then the id, up or down.
inline std::pair<double, RowId> place(const Record& record, RecordQuery::Order order,
                                      const Facts& facts) {
  using Order = RecordQuery::Order;
  const double seconds = record.result.latency();
  const bool ok = record.result.verdict == Verdict::Ok;
  const double infinity = std::numeric_limits<double>::infinity();
  double key = 0;
  if (order == Order::Fastest) key = ok ? seconds : infinity;
  if (order == Order::Slowest) key = ok ? -seconds : infinity;
  if (order == Order::FirstTrial) key = double(record.trial);
  if (order == Order::LastTrial) key = -double(record.trial);
  if (order == Order::ByTask || order == Order::ByTaskDown)
    for (const auto& [id, task] : facts.tasks)
      key += task.name < facts.tasks.at(record.task).name ? 1 : 0;
  if (order == Order::ByVerdict || order == Order::ByVerdictDown)
    key = double(record.result.verdict);
  if (order == Order::ByTaskDown || order == Order::ByVerdictDown) key = -key;
  const bool up = order == Order::Oldest || order == Order::Fastest || order == Order::FirstTrial ||
                  (order == Order::Slowest && !ok);
  return {key, up ? record.id : -record.id};
}

} // namespace nestwright
