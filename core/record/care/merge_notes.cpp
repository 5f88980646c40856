#include "core/record/care/merge_notes.h"

#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <optional>
#include <set>
#include <sstream>

namespace nestwright {

namespace {

using nlohmann::json;
using sqlite::Statement;

/// "note/task/12" as it is called in the other file; see note.h. Nothing for one on what is not
/// there.
std::optional<std::string> placed(const MergeFiles& files, const std::string& key) {
  const std::size_t first = key.find('/'), last = key.rfind('/');
  if (first == last) return std::nullopt;
  const auto rows = files.rows.find(key.substr(first + 1, last - first - 1));
  RowId id = 0;
  std::from_chars(key.data() + last + 1, key.data() + key.size(), id);
  if (rows == files.rows.end() || rows->second.find(id) == 0) return std::nullopt;
  return fmt::format("{}{}", key.substr(0, last + 1), rows->second.find(id));
}

std::string textOf(const json& note) {
  const auto text = note.find("text");
  return text != note.end() && text->is_string() ? text->get<std::string>() : std::string();
}

/// Both notes on the same thing as one.
json joined(const json& a, const json& b) {
  json both = a;
  const auto star = [](const json& note) { return note.value("star", false); };
  both["star"] = star(a) || star(b);
  if (textOf(a) == textOf(b)) return both;
  std::set<std::string> lines;
  for (const json* note : {&a, &b}) {
    std::istringstream text(textOf(*note));
    for (std::string line; std::getline(text, line);)
      if (!line.empty()) lines.insert(line);
  }
  both["text"] = fmt::format("{}", fmt::join(lines, "\n"));
  return both;
}

} // namespace

void mergeNotes(MergeFiles& files) {
  if (mergedColumns(files, "kept").empty()) return;
  Statement notes = files.from.prepare("SELECT key, value FROM kept WHERE key LIKE 'note/%'");
  while (notes.step()) {
    const std::optional<std::string> key = placed(files, notes.text(0));
    json note = json::parse(notes.view(1), nullptr, false);
    if (!key || !note.is_object()) continue;
    if (const auto task = note.find("task"); task != note.end() && task->is_number_integer())
      *task = files.rows["task"].find(task->get<RowId>());
    Statement there = files.into.prepare("SELECT value FROM kept WHERE key = ?");
    if (there.bind(*key).step()) {
      const json other = json::parse(there.view(0), nullptr, false);
      if (other.is_object()) note = joined(other, note);
    }
    files.into.prepare("INSERT OR REPLACE INTO kept (key, value) VALUES (?, ?)")
        .bind(*key)
        .bindBlob(2, note.dump())
        .run();
  }
}

} // namespace nestwright
