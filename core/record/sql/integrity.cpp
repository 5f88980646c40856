#include "core/record/sql/integrity.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace nestwright::sqlite {

namespace {

/// SQLite's sentence, as a pattern, and ours. The order matters: the first that fits counts.
struct Wording {
  std::regex theirs;
  const char* ours; // $1, $2: what the pattern took
};

const std::vector<Wording>& wordings() {
  static const std::vector<Wording> kWordings = [] {
    std::vector<Wording> list;
    const auto add = [&](const char* theirs, const char* ours) {
      list.push_back({std::regex(theirs), ours});
    };
    add(R"(row (\d+) missing from index (\w+))", "row $1 is missing in the index $2");
    add(R"(non-unique entry in index (\w+))", "the index $1 has an entry twice");
    add(R"(wrong # of entries in index (\w+))",
        "the index $1 has another number of rows than its table");
    add(R"(NULL value in ([\w.]+))", "a value of $1 is missing");
    add(R"((?:non-\w+|NUMERIC|TEXT|INTEGER|REAL|BLOB) value in ([\w.]+))",
        "a value of $1 is of another kind");
    add(R"((?:On tree page|Tree \d+ page) (\d+)[^:]*: .*)", "page $1 of the file is damaged");
    add(R"(Page (\d+):? is never used)", "page $1 of the file belongs to nothing");
    add(R"(Page (\d+): .*)", "page $1 of the file is damaged");
    add(R"(.*[Ff]reelist.*)", "the list of free pages is damaged");
    add(R"(.*unable to get the page.*|.*invalid page number (\d+).*)",
        "a page of the file cannot be read");
    return list;
  }();
  return kWordings;
}

} // namespace

std::vector<std::string> integrityInWords(std::string_view text) {
  std::vector<std::string> problems;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line == "ok" || line.starts_with("***")) continue;
    std::string problem = "a part of the file cannot be made sense of";
    for (const Wording& wording : wordings())
      if (std::smatch found; std::regex_match(line, found, wording.theirs)) {
        problem = found.format(wording.ours);
        break;
      }
    if (std::ranges::find(problems, problem) == problems.end())
      problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<std::string> integrityProblems(Database& db, bool quick) {
  std::vector<std::string> problems;
  Statement rows = db.prepare(quick ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(20)");
  while (rows.step())
    for (std::string& problem : integrityInWords(rows.view(0)))
      if (std::ranges::find(problems, problem) == problems.end())
        problems.push_back(std::move(problem));
  return problems;
}

} // namespace nestwright::sqlite
