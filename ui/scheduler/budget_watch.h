#pragma once
/// \file What the rest of the session's budget, and some more minutes, are worth: asked again about
/// once a second while there is something new. GUI thread only.

#include "core/story/advice/budget_outlook.h"

#include <QObject>
#include <QTimer>

namespace nestwright::ui {

class Document;

class BudgetWatch : public QObject {
  Q_OBJECT
 public:
  BudgetWatch(Document& document, QObject* parent);

  /// How long an extension is meant to be.
  void setMinutes(int minutes);
  int minutes() const { return minutes_; }

  /// Of the document's session; empty while its curves are read.
  const BudgetOutlook& outlook() const { return outlook_; }

  /// At once, not in a second.
  void refresh();

 Q_SIGNALS:
  void changed();

 private:
  void schedule();

  Document& document_;
  QTimer timer_;
  int minutes_ = 10;
  BudgetOutlook outlook_;
};

/// "1.1 % (80 % range 0.2–2.4)" of a gain.
QString gainText(const Ranged& gain);
/// "6–9 min" of seconds.
QString durationRangeText(const Ranged& seconds);

} // namespace nestwright::ui
