#include "core/record/select/filter_sql.h"

#include "core/record/format/record_flags.h"
#include "core/record/format/result_codec.h"
#include "core/record/format/step_codec.h"
#include "core/record/sql/regular_expression.h"
#include "core/support/infinity.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace nestwright {

namespace {

constexpr int kCodes = 64; // of verdicts; above it the bit of forgotten ones

/// `expression` within the range of the value.
void addRange(SqlCondition& to, const std::string& expression, const FilterValue& value) {
  if (value.low == value.high) {
    to.sql += fmt::format("{} = ?", expression);
    to.values.emplace_back(value.low);
    return;
  }
  const bool low = value.low != -kInfinity, high = value.high != kInfinity;
  if (low) {
    to.sql += fmt::format("{} {} ?", expression, value.lowOpen ? ">" : ">=");
    to.values.emplace_back(value.low);
  }
  if (low && high) to.sql += " AND ";
  if (high) {
    to.sql += fmt::format("{} {} ?", expression, value.highOpen ? "<" : "<=");
    to.values.emplace_back(value.high);
  }
}

/// Some of `columns` matches the pattern or regular expression.
void addMatch(SqlCondition& to, std::initializer_list<const char*> columns,
              const std::string& pattern) {
  const bool expression = isRegularExpression(pattern);
  bool first = true;
  for (const char* column : columns) {
    to.sql += std::exchange(first, false) ? "" : " OR ";
    to.sql += expression ? fmt::format("{}(?, {})", kFitsExpression, column)
                         : fmt::format("{} LIKE ? ESCAPE '\\'", column);
    to.values.emplace_back(expression ? pattern : likePattern(pattern));
  }
}

/// N of "TN".
std::optional<std::int64_t> taskNumber(std::string_view text) {
  if (text.size() < 2 || text.size() > 10 || (text[0] != 'T' && text[0] != 't'))
    return std::nullopt;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 1, end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

std::string verdictCodes(std::string_view word) {
  std::string codes;
  for (int i = 0; i < kVerdictCount; ++i) {
    const auto verdict = Verdict(i);
    std::string known = name(verdict);
    std::replace(known.begin(), known.end(), ' ', '-');
    const bool meant = word == known || (word == "none" && verdict == Verdict::Ok) ||
                       (word == "any" && verdict != Verdict::Ok) ||
                       (word == "timeout" && known.ends_with("timeout"));
    if (meant) codes += fmt::format("{}{}", codes.empty() ? "" : ", ", codeOf(verdict));
  }
  return codes;
}

int flagOf(std::string_view word) {
  if (word == "verified") return recordflag::kVerified;
  if (word == "implausible") return recordflag::kImplausible;
  if (word == "contested") return recordflag::kContested;
  NW_ASSERT(word == "on-demand", "the mark {} has no flag", word);
  return recordflag::kOnDemand;
}

/// All values of the column for which this holds, which the index by flags finds.
template <class Holds>
std::string flagValues(const Holds& holds) {
  std::string values;
  for (int value = 1; value <= recordflag::kAll; ++value)
    if (holds(value)) values += fmt::format("{}{}", values.empty() ? "" : ", ", value);
  return values;
}

/// Whether a record was forgotten at the moment that is asked about.
std::string wasForgotten() {
  return fmt::format("(verdict >= {}) <> (id IN {})", kForgottenCode, kOtherForgotten);
}

/// The best record of each task: of the session that is asked for, and of what there was then.
std::string bestIds(const RecordQuery& query, const FileFacts& facts) {
  const RowId session = sessionOfBests(query);
  const std::string ofTask = query.task != 0 ? fmt::format(" AND task = {}", query.task) : "";
  if (session == 0 && query.upTo == 0 && !facts.otherMarks)
    return "SELECT best_record FROM task_summary WHERE best_record IS NOT NULL" + ofTask;
  std::string may =
      fmt::format("flags IN ({})", flagValues([](int flags) { return mayBeBest(0, flags); }));
  if (query.upTo != 0) may += fmt::format(" AND id <= {}", query.upTo);
  // The fastest first, and mostly it is one that may be.
  if (session != 0 && !facts.otherMarks && !facts.bestsOfImport)
    return fmt::format("SELECT (SELECT id FROM record INDEXED BY record_by_speed WHERE task = "
                       "had.task AND session = {0} AND verdict = 0 AND {1} ORDER BY seconds, id "
                       "LIMIT 1) FROM tally AS had WHERE session = {0} AND verdict = 0{2}",
                       session, may, ofTask);
  // Of all that may be; imported ones, of which there can be millions, are none of them.
  may += facts.otherMarks
             ? fmt::format(" AND verdict % {} = 0 AND NOT ({})", kCodes, wasForgotten())
             : std::string(" AND verdict = 0");
  if (session != 0) may += fmt::format(" AND session = {}", session);
  return fmt::format("SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY task ORDER BY "
                     "seconds, id) AS place FROM record {} {}{}) WHERE place = 1",
                     facts.flags ? "INDEXED BY record_by_flags WHERE flags > 0 AND" : "WHERE", may,
                     ofTask);
}

void addFlag(SqlCondition& to, int flag, const FileFacts& facts) {
  if (facts.flags)
    to.sql += fmt::format("flags > 0 AND flags IN ({})",
                          flagValues([&](int value) { return (value & flag) != 0; }));
  else
    to.sql += fmt::format("flags & {} <> 0", flag);
}

void addMark(SqlCondition& to, const std::string& word, const RecordQuery& query,
             const FileFacts& facts) {
  if (word == "forgotten") {
    to.sql += facts.otherMarks ? wasForgotten() : fmt::format("verdict >= {}", kForgottenCode);
  } else if (word == "best") {
    to.sql += fmt::format("id IN ({})", bestIds(query, facts));
  } else if (word == "was-best") {
    if (facts.otherMarks)
      to.sql += fmt::format("(flags & {} <> 0) <> (id IN {})", recordflag::kBest, kOtherBest);
    else
      addFlag(to, recordflag::kBest, facts);
    to.sql += fmt::format(" AND id NOT IN (SELECT id FROM record WHERE id IN ({}))",
                          bestIds(query, facts)); // where there is none, that is null
  } else {
    addFlag(to, flagOf(word), facts);
  }
}

/// Hashes are stored as their bytes, anything else as text; those of imported records are computed.
void addProgram(SqlCondition& to, const std::string& prefix, const FileFacts& facts) {
  std::string digits = prefix;
  for (char& c : digits)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::size_t kDigits = 32; // of a hash
  const auto padded = [&](char with) {
    return digits + std::string(kDigits > digits.size() ? kDigits - digits.size() : 0, with);
  };
  const std::string source = facts.programs ? "record INDEXED BY record_by_program" : "record";
  to.sql += fmt::format("id IN (SELECT id FROM {0} WHERE program <> x'' AND program >= x'{1}' AND "
                        "program <= x'{2}' UNION ALL SELECT id FROM {0} WHERE program <> x'' AND "
                        "program >= ? AND program < ?)",
                        source, padded('0').substr(0, kDigits), padded('f').substr(0, kDigits));
  to.values.emplace_back(digits);
  to.values.emplace_back(digits + '~');
  if (!facts.imported) return;
  to.sql += fmt::format(" OR (program = x'' AND {}(id, task, shape) LIKE ?)", kImportedProgram);
  to.values.emplace_back(digits + '%');
}

void addTag(SqlCondition& to, const std::string& text) {
  if (text == "any") {
    to.sql += "id IN (SELECT record FROM record_tag)";
  } else if (text == "none") {
    to.sql += "id NOT IN (SELECT record FROM record_tag)";
  } else {
    to.sql += "id IN (SELECT record_tag.record FROM tag JOIN record_tag ON record_tag.tag = tag.id "
              "WHERE ";
    addMatch(to, {"tag.name"}, text);
    to.sql += ')';
  }
}

/// One value of one condition.
void addValue(SqlCondition& to, FilterField field, const FilterValue& value,
              const RecordQuery& query, const FileFacts& facts) {
  switch (field) {
  case FilterField::Task:
    if (const auto number = taskNumber(value.text)) {
      to.sql += "task IN (SELECT task FROM network_task WHERE position = ?)";
      to.values.emplace_back(*number);
      return;
    }
    to.sql += "task IN (SELECT id FROM task WHERE ";
    addMatch(to, {"name", "key"}, value.text);
    break;
  case FilterField::Network:
    to.sql += "task IN (SELECT place.task FROM network_task AS place JOIN network ON network.id = "
              "place.network WHERE ";
    addMatch(to, {"network.name", "network.spec"}, value.text);
    break;
  case FilterField::Target:
    to.sql += "task IN (SELECT task.id FROM task JOIN target ON target.id = task.target WHERE ";
    addMatch(to, {"target.key", "target.text", "target.facts"}, value.text);
    break;
  case FilterField::Session:
    if (value.isNumber()) return addRange(to, "session", value);
    to.sql += "session IN (SELECT id FROM session WHERE ";
    addMatch(to, {"title"}, value.text);
    break;
  case FilterField::Weight:
    to.sql += "task IN (SELECT task FROM network_task WHERE ";
    addRange(to, "weight", value);
    break;
  case FilterField::Latency:
    return addRange(to, "+seconds", value); // the index by speed is entered by bounds
  case FilterField::Gflops:
    return addRange(to, "(SELECT flops FROM task WHERE task.id = record.task) / seconds / 1e9",
                    value);
  case FilterField::Error:
    to.sql += fmt::format("verdict % {} IN ({}", kCodes, verdictCodes(value.text));
    break;
  case FilterField::Is:
    return addMark(to, value.text, query, facts);
  case FilterField::Steps:
    if (facts.absentSteps.contains(stepKindNamed(value.text))) {
      to.sql += '0';
      return;
    }
    if (facts.commonSteps.contains(stepKindNamed(value.text))) {
      to.sql += '1';
      return;
    }
    to.sql += fmt::format("shape IN (SELECT shape FROM temp.step_shape WHERE kind = {}",
                          stepKindNamed(value.text));
    break;
  case FilterField::Tag:
    return addTag(to, value.text);
  case FilterField::Trial:
    return addRange(to, "trial", value);
  case FilterField::Record:
    return addRange(to, "id", value);
  case FilterField::Wall:
    return addRange(to, "wall_seconds", value);
  case FilterField::Program:
    return addProgram(to, value.text, facts);
  }
  to.sql += ')';
}

/// Whether the shapes of the file tell the answer, which is the same for all records.
bool isSettled(const FilterCondition& condition, const FileFacts& facts) {
  return std::ranges::all_of(condition.values, [&](const FilterValue& value) {
    const int kind = stepKindNamed(value.text);
    return facts.absentSteps.contains(kind) || facts.commonSteps.contains(kind);
  });
}

bool isOfGroup(const FilterCondition& condition, const FileFacts& facts) {
  switch (condition.field) {
  case FilterField::Steps:
    return isSettled(condition, facts);
  case FilterField::Is:
    return !facts.otherMarks &&
           std::all_of(condition.values.begin(), condition.values.end(),
                       [](const FilterValue& value) { return value.text == "forgotten"; });
  default:
    return isOfGroup(condition.field);
  }
}

/// Of imported records no time since the start is known, and it stands as 0: where that does not
/// match, none of their groups need be looked at.
void addWallOfImports(QuerySql& sql, const FilterCondition& condition) {
  const bool zero = std::ranges::any_of(condition.values, [](const FilterValue& value) {
    return (value.low < 0 || (value.low == 0 && !value.lowOpen)) &&
           (value.high > 0 || (value.high == 0 && !value.highOpen));
  });
  if (!zero)
    sql.group.add(fmt::format("session NOT IN (SELECT id FROM session WHERE {})", kIsImport));
}

void addCondition(QuerySql& sql, const FilterCondition& condition, const RecordQuery& query,
                  const FileFacts& facts) {
  SqlCondition& to = isOfGroup(condition, facts) ? sql.group : sql.record;
  to.add(condition.negated ? "((" : "(");
  bool first = true;
  for (const FilterValue& value : condition.values) {
    to.sql += std::exchange(first, false) ? "(" : " OR (";
    addValue(to, condition.field, value, query, facts);
    to.sql += ')';
  }
  // Not: also where there is nothing to compare, as the time of an error.
  to.sql += condition.negated ? ") IS NOT TRUE)" : ")";
  if (condition.field == FilterField::Wall && !condition.negated) addWallOfImports(sql, condition);
}

/// Whether the value names so few records that they had better be gathered and sorted.
bool isFew(FilterField field, const FilterValue& value, const FileFacts& facts) {
  constexpr double kFew = 20'000;
  if (field == FilterField::Is) // most measured records are verified
    return value.text == "best" ||
           (facts.flags && value.text != "verified" && value.text != "forgotten" &&
            !(value.text == "was-best" && facts.otherMarks));
  if (field == FilterField::Program) return facts.programs && !facts.imported;
  if (field == FilterField::Tag) return value.text != "none";
  return (field == FilterField::Record || field == FilterField::Trial) &&
         value.high - value.low < kFew;
}

/// What the condition means for the ways to the records.
void noteCondition(QuerySql& sql, const FilterCondition& condition, const FileFacts& facts) {
  const bool latency = condition.field == FilterField::Latency && !condition.negated;
  const bool gflops = condition.field == FilterField::Gflops && !condition.negated;
  const bool bounds = (latency || gflops) && condition.values.size() == 1;
  if (!isOfGroup(condition, facts) && !bounds) sql.onlyTimed = sql.plain = false;
  if (condition.negated) return;
  if (gflops && bounds && !sql.ofTask)
    sql.throughput = condition.values[0];
  else if (gflops)
    sql.throughput.reset();
  if (gflops) sql.ofTask = true;
  if (gflops && bounds) {
    sql.gflopsAbove = std::max(sql.gflopsAbove, condition.values[0].low);
    sql.gflopsBelow = std::min(sql.gflopsBelow, condition.values[0].high);
  }
  if (latency || condition.field == FilterField::Gflops) sql.timed = true;
  if (latency && condition.values.size() == 1) {
    sql.above = std::max(sql.above, condition.values[0].low);
    sql.below = std::min(sql.below, condition.values[0].high);
  }
  const bool few =
      std::all_of(condition.values.begin(), condition.values.end(),
                  [&](const FilterValue& value) { return isFew(condition.field, value, facts); });
  if (!few) return;
  sql.few = true;
  // Which lets the index by session and trial be used.
  if (condition.field == FilterField::Trial) sql.record.add("session IN (SELECT id FROM session)");
}

/// Only forgotten records, or only others.
void addForgotten(QuerySql& sql, bool forgotten, bool otherMarks) {
  if (!otherMarks) {
    sql.group.add(forgotten ? "verdict >= ?" : "verdict < ?");
    sql.group.values.emplace_back(std::int64_t(kForgottenCode));
    return;
  }
  sql.record.add(fmt::format("{}({})", forgotten ? "" : "NOT ", wasForgotten()));
  sql.onlyTimed = sql.plain = false;
}

/// The fields of the query beside its filter.
void addFixed(QuerySql& sql, const RecordQuery& query, bool otherMarks) {
  SqlCondition& group = sql.group;
  const auto equal = [&](const char* text, std::int64_t value) {
    group.add(text);
    group.values.emplace_back(value);
  };
  if (query.session != 0) equal("session = ?", query.session);
  if (query.task != 0) equal("task = ?", query.task);
  if (query.verdict) equal("verdict % 64 = ?", codeOf(*query.verdict));
  if (query.onlyErrors) group.add("verdict % 64 <> 0");
  const auto& conditions = query.filter.conditions;
  const bool named =
      std::any_of(conditions.begin(), conditions.end(), [](const FilterCondition& condition) {
        return condition.field == FilterField::Is &&
               std::any_of(condition.values.begin(), condition.values.end(),
                           [](const FilterValue& value) { return value.text == "forgotten"; });
      });
  if (query.forgotten == RecordQuery::Forgotten::Only)
    addForgotten(sql, true, otherMarks);
  else if (query.forgotten == RecordQuery::Forgotten::Without && !named)
    addForgotten(sql, false, otherMarks);
  if (query.belowSeconds > 0) {
    sql.record.add("+seconds < ?");
    sql.record.values.emplace_back(query.belowSeconds);
    sql.below = query.belowSeconds;
    sql.timed = true;
  }
  if (query.upTo != 0) {
    sql.record.add("id <= ?");
    sql.record.values.emplace_back(query.upTo);
    sql.onlyTimed = false;
  }
}

} // namespace

bool isOfGroup(FilterField field) {
  switch (field) {
  case FilterField::Task:
  case FilterField::Network:
  case FilterField::Target:
  case FilterField::Session:
  case FilterField::Weight:
  case FilterField::Error:
    return true;
  default:
    return false;
  }
}

void SqlCondition::add(std::string_view text) {
  if (!sql.empty()) sql += " AND ";
  sql += text;
}

int SqlCondition::bind(sqlite::Statement& statement, int first) const {
  for (const auto& value : values)
    std::visit([&](const auto& one) { statement.bindAt(first++, one); }, value);
  return first;
}

std::string likePattern(std::string_view text) {
  const bool exact = text.size() > 1 && text.starts_with('=');
  if (exact) text.remove_prefix(1);
  const bool whole = exact || text.find_first_of("*?") != std::string_view::npos;
  std::string pattern = whole ? "" : "%";
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Names hold "->"; the window shows an arrow.
    if (text.substr(i).starts_with("→")) {
      pattern += "->";
      i += std::string_view("→").size() - 1;
      continue;
    }
    const char c = text[i];
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += exact ? c : c == '*' ? '%' : c == '?' ? '_' : c;
  }
  if (!whole) pattern += '%';
  return pattern;
}

RowId sessionOfBests(const RecordQuery& query) {
  if (query.session != 0) return query.session;
  for (const FilterCondition& condition : query.filter.conditions) {
    if (condition.field != FilterField::Session || condition.negated) continue;
    if (condition.values.size() != 1 || !condition.values[0].isNumber()) continue;
    const auto& [text, low, high, lowOpen, highOpen] = condition.values[0];
    if (low == high && low >= 1 && low < 1e15 && low == std::floor(low))
      return static_cast<RowId>(low);
  }
  return 0;
}

QuerySql toSql(const RecordQuery& query, const FileFacts& facts) {
  QuerySql sql;
  sql.onlyTimed = true;
  addFixed(sql, query, facts.otherMarks);
  for (const FilterCondition& condition : query.filter.conditions) {
    addCondition(sql, condition, query, facts);
    noteCondition(sql, condition, facts);
  }
  if (sql.timed) sql.group.add("verdict % 64 = 0");
  sql.onlyTimed &= sql.timed;
  // SQLite takes a session to be short, and would read all of it to look for the few.
  if (sql.few && !query.filter.has(FilterField::Trial) && !sql.group.sql.empty())
    sql.group.sql = fmt::format("({}) IS TRUE", sql.group.sql);
  return sql;
}

} // namespace nestwright
