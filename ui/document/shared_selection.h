#pragma once
/// \file What is looked at, shared by all views: the selected task and record, the programs side by
/// side, and the parents that were chosen to be crossed.

#include "core/story/live_session.h"
#include "ui/document/program_ref.h"

#include <QObject>

#include <optional>
#include <vector>

namespace nestwright::ui {

/// A record implies its task.
struct Selection {
  RowId task = 0;   // 0: all tasks
  RowId record = 0; // 0: the task's best
  friend bool operator==(const Selection&, const Selection&) = default;
};

/// What was selected when the window left the session; nothing when that was another one.
std::optional<Selection> selectionOf(const LiveSession& session);

class SharedSelection : public QObject {
  Q_OBJECT
 public:
  /// Of the programs of this session.
  explicit SharedSelection(const LiveSession& session, QObject* parent = nullptr);

  const Selection& current() const { return current_; }
  const ProgramPair& compared() const { return compared_; }

  void select(const Selection& selection);
  void selectTask(RowId task) { select({task, 0}); }
  /// Puts two programs side by side; a side that is not valid is still to be chosen.
  void compare(const ProgramPair& programs);
  /// Takes these records' programs, all of one task, as parents to cross; for none the task's
  /// fastest.
  void cross(RowId task, const std::vector<RowId>& records);

  /// Another session is shown: begins with this, which announce() tells when that session is ready.
  void begin(const Selection& selection) { current_ = selection; }
  void announce() { Q_EMIT changed(); }

 Q_SIGNALS:
  void changed();
  /// The programs to compare were chosen, or chosen once more.
  void comparedChanged();
  /// Parents to cross were chosen, or chosen once more.
  void crossingWanted(RowId task, const std::vector<RowId>& records);

 private:
  const LiveSession& session_;
  Selection current_;
  ProgramPair compared_;
};

} // namespace nestwright::ui
