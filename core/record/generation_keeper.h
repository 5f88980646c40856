#pragma once
/// \file Keeps a record file and its write-ahead log together, and foreign ones apart; see
/// generation.h.

#include "core/record/sqlite.h"

#include <string>

namespace nestwright {

/// Whether a log lies beside the file that was written on another one. Reads both, without a trace.
bool hasForeignLog(const std::string& path);

/// Moves a foreign log to a name that says what it is, and returns that. Throws FileTrouble when a
/// program has this very file open, whose contents were replaced under it.
std::string setLogAside(const std::string& path);

/// For a connection that writes: each transaction gets a new generation. Once the file is no longer
/// the one that was opened, transactions throw FileMoved, and closing leaves file and log alone.
void keepGenerations(sqlite::Database& database);

/// For a connection that reads: closing it never works the log into the file, even as the last.
void leaveLogAlone(sqlite::Database& database);

/// Gives the file a generation of its own: for a copy, which must not pass for what it is a copy
/// of.
void renewGeneration(sqlite::Database& database);

} // namespace nestwright
