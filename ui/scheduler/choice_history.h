#pragma once
/// \file The scheduler's choices of a session, one at a time: the newest as it comes, an older one
/// read from the file when it is looked at. A hundred thousand of them cost their ids.

#include "core/session/run/events.h"

#include <QObject>
#include <QTimer>

#include <optional>
#include <vector>

namespace nestwright::ui {

class Document;

class ChoiceHistory : public QObject {
  Q_OBJECT
 public:
  explicit ChoiceHistory(Document& document, QObject* parent = nullptr);

  /// Choices made so far.
  int count() const { return static_cast<int>(ids_.size()); }
  /// Position of what is shown, from 0; -1 while there is none.
  int position() const { return position_; }
  /// True while the newest is shown, and new ones as they come.
  bool followsNewest() const { return follows_; }
  const std::optional<TaskChosen>& shown() const { return shown_; }

  void show(int position);
  void showNewest();
  /// Nothing is read before it is wanted: by a view that can be seen.
  void setWanted(bool wanted);

 Q_SIGNALS:
  void changed();

 private:
  void reset();
  void readIds();
  void readShown();
  void take(const std::vector<Event>& events);

  Document& document_;
  std::vector<RowId> ids_; // of the events
  std::optional<TaskChosen> shown_;
  int position_ = -1;
  bool follows_ = true, wanted_ = false, stale_ = true;
  QTimer readTimer_;
};

} // namespace nestwright::ui
