#pragma once
/// \file Keeps a record file and its write-ahead log together, and foreign ones apart; see
/// generation.h.

#include "core/record/file/open_mode.h"
#include "core/record/sql/sqlite.h"

#include <optional>
#include <string>

namespace nestwright {

/// Whether a log lies beside the file that was written on another one. Reads both, without a trace.
bool hasForeignLog(const std::string& path);

/// A log that was written on another file than the one that it lay beside.
struct SetAsideLog {
  std::string log;  // the path that it had
  std::string name; // the path that it has now
};

/// What is done before the file is opened in this mode, and by opening it: a foreign log is moved
/// to a name that says what it is. Who calls this first can tell of it. Nothing when there is none,
/// and for readers, which leave it where it is, as do all where nothing can be written. Throws
/// FileTrouble when a program has this very file open, whose contents were replaced under it.
std::optional<SetAsideLog> setForeignLogAside(const std::string& path,
                                              OpenMode mode = OpenMode::ReadWrite);

/// In a sentence, with how to get at what is in the log.
std::string describe(const SetAsideLog& log);

/// For a connection that writes: each transaction gets a new generation. Once the file is no longer
/// the one that was opened, transactions throw FileMoved, and closing leaves file and log alone.
void keepGenerations(sqlite::Database& database);

/// For a connection that reads: closing it never works the log into the file, even as the last.
void leaveLogAlone(sqlite::Database& database);

/// Gives the file a generation of its own: for a copy, which must not pass for what it is a copy
/// of.
void renewGeneration(sqlite::Database& database);

} // namespace nestwright
