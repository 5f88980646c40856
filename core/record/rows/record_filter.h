#pragma once
/// \file The language in which people say which records they want:
///
///   task:conv2d weight>2 latency<1ms -error:timeout target:*8272* steps:rfactor session:1..3
///
/// Words side by side must all hold. A word is a field, a sign (`:` or a comparison) and one or
/// more values with commas between them, of which one must hold; a minus in front turns it round.
/// Values with blanks stand in double quotes. The text is a value here; filter_sql.h makes a query
/// of it.

#include "core/support/error.h"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

enum class FilterField : std::uint8_t {
  Task,
  Network,
  Target,
  Session,
  Weight,
  Latency,
  Gflops,
  Error,
  Is,
  Steps,
  Tag,
  Trial,
  Record,
  Wall,
  Program
};

/// What the values of a field are.
enum class FilterKind : std::uint8_t {
  Pattern,         // part of a text, or with * and ? the whole of it, or a regular expression
                   // between slashes; letter case does not matter
  PatternOrNumber, // a number or a range of them, or else a pattern
  Word,            // one of a list
  Prefix,          // beginning of a hash in hexadecimal
  Number,          // "3", "1..5", ">2"
  Time             // a number with its unit: "1ms"
};

/// A field as people write it.
struct FilterFieldInfo {
  FilterField field;
  FilterKind kind;
  const char* name;                    // "latency"
  const char* meaning;                 // one sentence
  const char* example;                 // "latency<1ms"
  std::vector<std::string_view> words; // that a Word or a Pattern may be, for completion
};
/// All fields, in the order in which they are offered.
std::span<const FilterFieldInfo> filterFields();
const FilterFieldInfo& info(FilterField field);

/// A text, or a range of numbers (seconds for times).
struct FilterValue {
  std::string text; // empty for numbers
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool lowOpen = false, highOpen = false; // the bound itself does not belong to it
  bool isNumber() const { return text.empty(); }
  friend bool operator==(const FilterValue&, const FilterValue&) = default;
};

struct FilterCondition {
  FilterField field = FilterField::Task;
  bool negated = false;
  std::vector<FilterValue> values; // one of them must hold; never empty
  friend bool operator==(const FilterCondition&, const FilterCondition&) = default;
};

struct RecordFilter {
  std::vector<FilterCondition> conditions; // all must hold
  bool empty() const { return conditions.empty(); }
  /// Whether some condition, negated or not, is about this field.
  bool has(FilterField field) const;
  friend bool operator==(const RecordFilter&, const RecordFilter&) = default;
};

/// A word that cannot be understood: what is wrong, and what to write instead. `begin` and `end`
/// are its place in the text, in bytes.
class FilterError : public UsageError {
 public:
  FilterError(const std::string& text, std::size_t begin, std::size_t end)
      : UsageError(text), begin_(begin), end_(end) {}
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }

 private:
  std::size_t begin_, end_;
};

/// The filter that the text says; an empty one for blanks. Throws FilterError.
RecordFilter parseRecordFilter(std::string_view text);
/// The text that says it: parseRecordFilter() of that gives the same value.
std::string print(const RecordFilter& filter);
std::string print(const FilterCondition& condition);
/// "latency below 1 ms", "not error timeout": for people.
std::string inWords(const FilterCondition& condition);

/// The text cut into its words, as places in it: what completion looks at. Never throws; a quote
/// that is not closed ends with the text.
struct FilterWord {
  std::size_t begin, end;
};
std::vector<FilterWord> filterWords(std::string_view text);

} // namespace nestwright
