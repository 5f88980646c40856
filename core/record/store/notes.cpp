#include "core/record/store/notes.h"

#include "core/record/file/document_file.h"
#include "core/support/name_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>

namespace nestwright {

namespace {

constexpr const char* kNotePrefix = "note/";
constexpr NameTable<NoteAbout, 3> kAbout = {{"session", "task", "record"}};

/// From "task/12".
std::optional<NoteKey> keyFrom(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::optional<NoteAbout> about = kAbout.find(std::string_view(text).substr(0, slash));
  if (!about) return std::nullopt;
  NoteKey key{*about, 0};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + slash + 1, end, key.id);
  return error == std::errc() && rest == end ? std::optional(key) : std::nullopt;
}

} // namespace

Notes readNotes(const std::string& path) {
  Notes notes;
  for (const auto& [text, value] : keptUnder(path, kNotePrefix)) {
    const std::optional<NoteKey> key = keyFrom(text);
    const nlohmann::json json = nlohmann::json::parse(value, nullptr, false);
    if (!key || !json.is_object()) continue;
    Note note;
    if (const auto said = json.find("text"); said != json.end() && said->is_string())
      note.text = *said;
    if (const auto star = json.find("star"); star != json.end() && star->is_boolean())
      note.star = *star;
    if (const auto task = json.find("task"); task != json.end() && task->is_number_integer())
      note.task = *task;
    if (!note.empty()) notes[*key] = std::move(note);
  }
  return notes;
}

void keepNote(const std::string& path, const NoteKey& key, const Note& note) {
  const std::string name = fmt::format("{}{}/{}", kNotePrefix, kAbout.of(key.about), key.id);
  keep(path, name,
       note.empty()
           ? ""
           : nlohmann::json{{"text", note.text}, {"star", note.star}, {"task", note.task}}.dump());
}

} // namespace nestwright
