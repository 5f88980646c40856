#pragma once
/// \file What happened, in sentences: the session's events, newest at the end.

#include "core/record/store/store.h"
#include "core/session/run/events.h"
#include "ui/document/choice_text.h"
#include "ui/kit/table/column_model.h"

#include <deque>
#include <optional>
#include <vector>

namespace nestwright {
class ReplayTimeline;
} // namespace nestwright

namespace nestwright::ui {

class Document;

struct LogLine {
  std::int64_t at = 0; // microseconds since the epoch
  QString kind, message;
  bool bad = false;
  RowId task = 0;
};

class LogModel : public ColumnModel<LogLine> {
  Q_OBJECT
 public:
  enum Column { Time, Kind, Message, ColumnCount };
  /// Older lines are dropped; all events stay in the file.
  static constexpr int kMaxLines = 10'000;

  explicit LogModel(Document& document, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;

  /// A line of the window's own, such as a warning.
  void note(const QString& message);

 private:
  using Line = LogLine;
  /// What sentences need to know of the document.
  struct Names {
    TaskNames tasks;
    ObjectiveKind objective = ObjectiveKind::TotalLatency;
  };
  Names names() const;
  static std::optional<Line> lineOf(const Event& event, std::int64_t at, const Names& names);
  /// The same, with who asked for it where the event before it is a command.
  static std::optional<Line> lineOf(const Event& event, std::int64_t at, const Names& names,
                                    const std::optional<Event>& before);
  static std::vector<Line> linesOf(const ReplayTimeline& past, std::size_t position,
                                   const Names& names);
  static std::vector<Line> readLines(const RecordStore& store, RowId session, const Names& names);
  static Columns columns();
  const Line* rowAt(const QModelIndex& index) const override;
  void append(std::vector<Line> lines);
  void reload();
  /// The lines until the replay's present moment.
  void reloadPast();

  Document& document_;
  std::deque<Line> lines_;
  std::optional<Event> last_; // that arrived
};

} // namespace nestwright::ui
