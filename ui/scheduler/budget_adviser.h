#pragma once
/// \file What the rest of the session's budget, and some more minutes, are worth, as the document's
/// curves tell: asked again about once a second while there is something new. GUI thread only; one
/// answer costs a millisecond or so, however long the session is.

#include "core/session/schedule/budget_advice.h"
#include "core/story/tuning_history.h"

#include <QObject>
#include <QTimer>

#include <optional>
#include <vector>

namespace nestwright::ui {

class Document;

/// The course of a session as its curves know it, with the naive time for a task without a best.
/// Looks at `history` whenever it is asked: use it before that changes.
SessionCourse courseOf(const TuningHistory& history);

class BudgetAdviser : public QObject {
  Q_OBJECT
 public:
  BudgetAdviser(Document& document, QObject* parent);

  /// How long an extension is meant to be.
  void setMinutes(int minutes);
  int minutes() const { return minutes_; }

  /// About the trials that are left of the budget; nothing when none are, or too little is known.
  const std::optional<BudgetAdvice>& rest() const { return rest_; }
  /// About as many further trials as fit into the minutes: after the session's last one when the
  /// budget is used up, else beyond the budget, together with its rest.
  const std::optional<BudgetAdvice>& extended() const { return extended_; }
  std::int64_t trialsLeft() const { return left_; }
  /// In those minutes, at the present pace; 0 when that is not known.
  std::int64_t trialsInMinutes() const { return inMinutes_; }
  /// Tasks of the advice in its order.
  const std::vector<RowId>& tasks() const { return tasks_; }
  /// The task that a further trial is worth most for, as far as is known; 0 for none.
  RowId bestPlace() const;

  /// At once, not in a second.
  void refresh();

 Q_SIGNALS:
  void changed();

 private:
  void schedule();
  std::vector<double> shares() const;
  void keepWithinTime(const SessionCourse& course, const std::vector<double>& shares);

  Document& document_;
  QTimer timer_;
  int minutes_ = 10;
  std::int64_t left_ = 0, inMinutes_ = 0;
  std::optional<BudgetAdvice> rest_, extended_;
  std::vector<RowId> tasks_;
};

/// "1.1 % (80 % range 0.2–2.4)" of a gain.
QString gainText(const Ranged& gain);
/// "6–9 min" of seconds.
QString durationRangeText(const Ranged& seconds);

} // namespace nestwright::ui
