#include "core/record/rows/record_filter.h"

#include "core/record/rows/filter_value.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>

namespace nestwright {

namespace {

const std::array<FilterFieldInfo, 15>& fields() {
  using enum FilterField;
  using enum FilterKind;
  static const std::array<FilterFieldInfo, 15> kFields{{
      {Task,
       Pattern,
       "task",
       "part of the task's name or workload key, or its number in the network as T4",
       "task:conv2d",
       {}},
      {Latency,
       Time,
       "latency",
       "median time of one run, with its unit; errors have none",
       "latency<1ms",
       {}},
      {Gflops, Number, "gflops", "throughput in GFLOP/s", "gflops>100", {}},
      {Error,
       Word,
       "error",
       "how the measurement ended; none is a good one, any is every error",
       "error:none",
       {"none", "any", "timeout", "illegal", "compile-error", "load-error", "run-error",
        "wrong-answer", "build-timeout", "run-timeout", "worker-lost", "cancelled",
        "not-recorded"}},
      {Is,
       Word,
       "is",
       "a mark of the record; best is of the session listed or named by its number, else of the "
       "file",
       "is:best",
       {"best", "was-best", "verified", "implausible", "contested", "on-demand", "forgotten"}},
      {Steps,
       Word,
       "steps",
       "a kind of step that the program has",
       "steps:rfactor",
       {"annotation", "fuse", "pragma", "reorder", "split", "follow-split", "follow-fused-split",
        "storage-align", "compute-at", "inline", "root", "cache-read", "cache-write", "rfactor"}},
      {Tag, Pattern, "tag", "a tag of yours; any or none of them", "tag:keep", {"any", "none"}},
      {Session,
       PatternOrNumber,
       "session",
       "the session's number, or part of its title",
       "session:3",
       {}},
      {Network,
       Pattern,
       "network",
       "part of the name of a network that has the task",
       "network:resnet18",
       {}},
      {Target,
       Pattern,
       "target",
       "part of the target's text, key or hardware facts",
       "target:*8272*",
       {}},
      {Weight, Number, "weight", "how often the task appears in its network", "weight>2", {}},
      {Trial, Number, "trial", "number of the trial within its session", "trial:1..100", {}},
      {Record, Number, "record", "number of the record in the file", "record:17", {}},
      {Wall,
       Time,
       "wall",
       "time since the session's start when it was measured, pauses left out",
       "wall<10min",
       {}},
      {Program, Prefix, "program", "beginning of the program's hash", "program:1f3a", {}},
  }};
  return kFields;
}

/// Words that people try for a field of another name.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"time", "latency"},  {"seconds", "latency"},   {"median", "latency"}, {"verdict", "error"},
    {"outcome", "error"}, {"throughput", "gflops"}, {"flops", "gflops"},   {"label", "tag"},
    {"operator", "task"}, {"op", "task"},           {"name", "task"},      {"id", "record"},
    {"hash", "program"},  {"hardware", "target"},   {"machine", "target"}};

/// A filter is written by hand; what is longer than this is a mistake, and SQLite has limits, too.
constexpr std::size_t kMostConditions = 64, kMostValues = 256, kLongestValue = 1000;

bool isBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// How many letters must be changed, added or left out to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j)
    row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// The field that was probably meant, or null.
const FilterFieldInfo* guess(const std::string& name) {
  for (const auto& [other, meant] : kOtherNames)
    if (name == other)
      for (const FilterFieldInfo& field : fields())
        if (meant == field.name) return &field;
  const FilterFieldInfo* best = nullptr;
  std::size_t least = 3; // two mistakes are a slip, three another word
  for (const FilterFieldInfo& field : fields()) {
    const std::size_t mistakes = distance(name.substr(0, 32), field.name);
    if (mistakes < least && mistakes < std::string_view(field.name).size() - 1) {
      least = mistakes;
      best = &field;
    }
  }
  return best;
}

const FilterFieldInfo& fieldOf(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string name = lowerCase(text.substr(begin, end - begin));
  for (const FilterFieldInfo& field : fields())
    if (name == field.name) return field;
  if (const FilterFieldInfo* meant = guess(name))
    throw FilterError(
        fmt::format("there is no field \"{}\"; did you mean {}?", name, meant->example), begin,
        end);
  std::string all;
  for (const FilterFieldInfo& field : fields())
    all += (all.empty() ? "" : ", ") + std::string(field.name);
  throw FilterError(fmt::format("there is no field \"{}\"; there are {}", name, all), begin, end);
}

/// Reads the values of one word.
class ValueReader {
 public:
  ValueReader(std::string_view text, std::size_t at, std::size_t end, const FilterFieldInfo& field)
      : text_(text), at_(at), end_(end), field_(field) {}

  std::vector<FilterValue> all() {
    std::vector<FilterValue> values{next()};
    while (at_ < end_ && text_[at_] == ',') {
      ++at_;
      values.push_back(next());
      if (values.size() > kMostValues)
        throw FilterError(fmt::format("more than {} values; use a pattern or a range", kMostValues),
                          at_, end_);
    }
    return values;
  }

 private:
  FilterValue next() {
    const std::size_t begin = at_;
    const bool quoted = at_ < end_ && text_[at_] == '"';
    const std::string value = quoted ? quotedText() : bareText();
    if (value.empty())
      throw FilterError(
          fmt::format("\"{}\" lacks a value; write for example {}", field_.name, field_.example),
          begin, at_);
    if (value.size() > kLongestValue)
      throw FilterError(
          fmt::format("a value of more than {} letters; write a part of it", kLongestValue), begin,
          at_);
    try {
      return parseFilterValue(field_, value, quoted);
    } catch (const InputError& problem) {
      throw FilterError(problem.what(), begin, at_);
    }
  }

  std::string bareText() {
    const std::size_t begin = at_;
    while (at_ < end_ && text_[at_] != ',' && text_[at_] != '"')
      ++at_;
    if (at_ < end_ && text_[at_] == '"')
      throw FilterError(
          fmt::format("a quote within a value; write {}:\"…\" around the whole of it", field_.name),
          begin, end_);
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quotedText() {
    const std::size_t begin = at_++;
    std::string value;
    while (at_ < end_ && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < end_) ++at_;
      value += text_[at_++];
    }
    if (at_ >= end_)
      throw FilterError("the quote is not closed; write another \" at the end of the value", begin,
                        end_);
    ++at_;
    if (at_ < end_ && text_[at_] != ',')
      throw FilterError("something follows the closing quote; put a blank or a comma between them",
                        begin, end_);
    return value;
  }

  std::string_view text_;
  std::size_t at_, end_;
  const FilterFieldInfo& field_;
};

bool takesComparison(FilterKind kind) {
  using enum FilterKind;
  return kind == Number || kind == Time || kind == PatternOrNumber;
}

FilterCondition parseWord(std::string_view text, FilterWord word) {
  FilterCondition condition;
  std::size_t begin = word.begin;
  if (text[begin] == '-') {
    condition.negated = true;
    ++begin;
  }
  const std::size_t sign = std::min(text.find_first_of(":<>=", begin), word.end);
  if (sign >= word.end || text.substr(begin, sign - begin).find('"') != std::string_view::npos)
    throw FilterError(
        fmt::format("\"{}\" is no condition; write task:{} for tasks with this in their name",
                    text.substr(word.begin, word.end - word.begin),
                    text.substr(begin, word.end - begin)),
        word.begin, word.end);
  if (sign == begin)
    throw FilterError(
        fmt::format("a field is missing before \"{}\"; write for example latency<1ms", text[sign]),
        word.begin, word.end);
  const FilterFieldInfo& field = fieldOf(text, begin, sign);
  condition.field = field.field;
  if (text[sign] == ':' || text[sign] == '=') {
    condition.values = ValueReader(text, sign + 1, word.end, field).all();
    return condition;
  }
  if (!takesComparison(field.kind))
    throw FilterError(
        fmt::format("\"{}\" cannot be compared; write a colon: {}", field.name, field.example),
        begin, word.end);
  condition.values = ValueReader(text, sign, word.end, field).all();
  if (condition.values.size() > 1)
    throw FilterError(fmt::format("one comparison takes one value; write {}:{} for several",
                                  field.name, text.substr(sign, word.end - sign)),
                      sign, word.end);
  return condition;
}

} // namespace

std::span<const FilterFieldInfo> filterFields() {
  return fields();
}

const FilterFieldInfo& info(FilterField field) {
  const auto found =
      std::find_if(fields().begin(), fields().end(),
                   [&](const FilterFieldInfo& known) { return known.field == field; });
  NW_ASSERT(found != fields().end(), "filter field {} is missing in the table", int(field));
  return *found;
}

bool RecordFilter::has(FilterField field) const {
  return std::any_of(conditions.begin(), conditions.end(),
                     [&](const FilterCondition& condition) { return condition.field == field; });
}

std::vector<FilterWord> filterWords(std::string_view text) {
  std::vector<FilterWord> words;
  for (std::size_t at = 0; at < text.size();) {
    if (isBlank(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    bool quoted = false;
    for (; at < text.size() && (quoted || !isBlank(text[at])); ++at) {
      if (quoted && text[at] == '\\' && at + 1 < text.size())
        ++at;
      else if (text[at] == '"')
        quoted = !quoted;
    }
    words.push_back({begin, at});
  }
  return words;
}

RecordFilter parseRecordFilter(std::string_view text) {
  RecordFilter filter;
  for (const FilterWord word : filterWords(text)) {
    filter.conditions.push_back(parseWord(text, word));
    if (filter.conditions.size() > kMostConditions)
      throw FilterError(fmt::format("more than {} conditions; leave some out", kMostConditions),
                        word.begin, word.end);
  }
  return filter;
}

std::string print(const FilterCondition& condition) {
  const FilterFieldInfo& field = info(condition.field);
  std::string text = condition.negated ? "-" : "";
  text += field.name;
  for (std::size_t i = 0; i < condition.values.size(); ++i) {
    const std::string value = printFilterValue(field, condition.values[i]);
    const bool comparison = value.starts_with('<') || value.starts_with('>');
    if (i > 0)
      text += ',';
    else if (!comparison || condition.values.size() > 1)
      text += ':';
    text += value;
  }
  return text;
}

std::string print(const RecordFilter& filter) {
  std::string text;
  for (const FilterCondition& condition : filter.conditions)
    text += (text.empty() ? "" : " ") + print(condition);
  return text;
}

std::string inWords(const FilterCondition& condition) {
  const FilterFieldInfo& field = info(condition.field);
  std::string text = condition.negated ? "not " : "";
  text += field.name;
  for (std::size_t i = 0; i < condition.values.size(); ++i)
    text += (i == 0 ? " " : " or ") + inWords(field, condition.values[i]);
  return text;
}

} // namespace nestwright
