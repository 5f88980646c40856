#pragma once
/// \file Sentences and stars that people put on sessions, tasks and records.

#include "core/support/row_id.h"

#include <cstdint>
#include <map>
#include <string>

// Behind another one: Qt 6.4's moc cannot read it as the first.
#include <compare>

namespace nestwright {

enum class NoteAbout : std::uint8_t { Session, Task, Record };

/// What a note is about.
struct NoteKey {
  NoteAbout about = NoteAbout::Session;
  RowId id = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a null in a default
  friend auto operator<=>(const NoteKey&, const NoteKey&) = default;
};

struct Note {
  std::string text;
  bool star = false;
  RowId task = 0; // of the record that it is about, so that a view finds it; else 0
  bool empty() const { return text.empty() && !star; }
  friend bool operator==(const Note&, const Note&) = default;
};

using Notes = std::map<NoteKey, Note>;

/// All notes of the file; those that this version does not understand are left out.
Notes readNotes(const std::string& path);
/// Keeps a note in the file, replacing the one before; an empty one removes it. Notes of others are
/// not touched, so two windows may write at once.
void keepNote(const std::string& path, const NoteKey& key, const Note& note);

} // namespace nestwright
