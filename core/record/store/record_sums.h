#pragma once
/// \file The sums over records, which every change of a record keeps true, and which record is its
/// task's best. To be called within the transaction of the change.

#include "core/record/rows/record.h"
#include "core/record/sql/sqlite.h"

namespace nestwright {

/// Whether a record may be a best at all.
bool eligible(const Record& record);
/// Whether the record, of which the sums do not know, is better than its task's best. Throws
/// InputError for an unknown task.
bool becomesBest(sqlite::Database& db, const Record& record);

/// Adds a new record, with its id, to the sums.
void addToSums(sqlite::Database& db, const Record& record);
/// Moves a record's part of the sums to the forgotten ones, or back.
void setForgottenInSums(sqlite::Database& db, const Record& record, bool forgotten);
/// Moves a good record's part of the sums to those that ended in this error.
void setErrorInSums(sqlite::Database& db, const Record& record, Verdict error);

/// Notes the record, which takes so many seconds, as the task's best; 0: it has none.
void setBest(sqlite::Database& db, RowId task, RowId record, double seconds);
/// Chooses the task's bests anew, as if its records came in now in their order.
void chooseBests(sqlite::Database& db, RowId task);

} // namespace nestwright
