#pragma once
/// \file The rows around imported records: targets, tasks, shapes, and what a task holds already.

#include "core/record/format/import_rows.h"
#include "core/record/sql/sqlite.h"

#include <functional>

namespace nestwright {

/// The target with these words in public records: one of the file's own, or a new one.
RowId importTarget(sqlite::Database& db, const ImportedTask& task, const TaskKnowledge& knowledge);
/// The task of this key on the target. A new one, or one whose DAG was unknown, takes what is known
/// now; where the file has another definition of the key for another target, that one. Throws
/// InputError for the hash of another key with another definition (C27).
RowId importTask(sqlite::Database& db, const std::string& key, RowId target,
                 const TaskKnowledge& knowledge);
/// Gives a task whose DAG was unknown what is known of it now, as importTask() does.
void completeTask(sqlite::Database& db, RowId task, const TaskKnowledge& knowledge);
/// Lists the task among those of the session.
void importSessionTask(sqlite::Database& db, RowId session, RowId task);
/// The id of the shape, which is added when it is new.
RowId storedShape(sqlite::Database& db, std::string_view shape);
/// Ids of shapes in memory; beyond, shapes are looked up again.
inline constexpr std::size_t kMostShapes = 1 << 18;
/// Calls `f` with each record of the task and its identity, as a public log would tell it.
void forEachIdentity(sqlite::Database& db, RowId task,
                     const std::function<void(RowId, std::uint64_t)>& f);

} // namespace nestwright
