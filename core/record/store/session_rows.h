#pragma once
/// \file The sessions of a file, and what they tune.

#include "core/record/rows/session_row.h"
#include "core/record/rows/task_row.h"
#include "core/record/store/rows.h"

#include <optional>
#include <vector>

namespace nestwright {

/// Sessions with the tasks and networks that they tune, and the sums over their records.
class SessionRows : public Rows {
 public:
  using Rows::Rows;

  RowId add(const SessionRow& row);
  /// Throws InputError when it is not there.
  void update(const SessionRow& row);
  void setTasks(RowId session, const std::vector<RowId>& tasks);
  /// Replaces the session's networks. Throws InputError when a name appears twice.
  void setNetworks(RowId session, const std::vector<SessionNetwork>& networks);

  std::vector<SessionRow> all() const;
  std::optional<SessionRow> one(RowId id) const;
  /// The tasks that the session tunes, in order; `weight` is the sum over its networks.
  std::vector<TaskRow> tasks(RowId session) const;
  /// The networks that the session tunes, in order. A session for which none were set tunes the one
  /// network of its row, with all of its tasks.
  std::vector<SessionNetwork> networks(RowId session) const;
  SessionSummary summary(RowId session) const;
};

/// Throws InputError when the file does not have the session.
void requireSession(sqlite::Database& db, RowId session);

} // namespace nestwright
