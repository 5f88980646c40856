#pragma once
/// \file Guided tours: a sentence at a time, each pointing at a part of the window. The tours are
/// data, in resources/tours.

#include <QList>
#include <QPointer>
#include <QString>
#include <QWidget>

class QLabel;
class QPushButton;

namespace nestwright::ui {

/// A sentence, in which *slanted* words name a control, a column or a menu (with ▸ between menu and
/// command) and **bold** ones are terms and keys; and where it points: "panel:tasks", "widget:NAME"
/// (an object name), "action:TEXT" (a tool button with an action of that object name), "status",
/// "toolbar" or "window".
struct TourStep {
  QString target, text;
  QString layout; // "tune", "browse" or "teach" to change to first; empty: as it is
};

struct Tour {
  QString name, title, purpose;
  bool needsSample = true; // opens the sample when no document is open
  QList<TourStep> steps;
};

/// All tours, in the order of their names. Files with mistakes are left out.
QList<Tour> tours();

/// Darkens the window but for what the present step points at, which can be used meanwhile, and
/// shows the sentence beside it.
class TourGuide : public QWidget {
  Q_OBJECT
 public:
  explicit TourGuide(QWidget* window);
  void begin(const Tour& tour);
  void end();
  bool isRunning() const { return !tour_.steps.isEmpty(); }
  int step() const { return step_; }
  /// What the present step points at; null when that is not to be found, or hidden.
  QWidget* target() const;
  void go(int step);

 Q_SIGNALS:
  /// The step needs this layout.
  void layoutWanted(const QString& layout);
  /// The step points into this panel, which must come to the front.
  void panelWanted(const QString& panel);
  void ended();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void build();
  void place();
  QRect targetRect() const;

  QWidget* window_;
  QWidget* bubble_;
  QLabel *text_, *count_;
  QPushButton *back_, *next_, *close_;
  Tour tour_;
  int step_ = 0;
};

} // namespace nestwright::ui
