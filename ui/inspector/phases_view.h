#pragma once
/// \file Where the present round is: its six phases with what came out of each, explained for those
/// who learn how the search works, and the buttons to go through them one by one.

#include "core/search/search_phase.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QPushButton;
class QToolButton;
class QTreeWidget;

namespace nestwright::ui {

class Document;

/// "Sketches", "Sampling", ...; of a search over templates "Template", "Sampling", "Planning", ...
QString phaseTitle(SearchPhase phase, bool onTemplates);
/// What happens in the phase, for a student.
QString phaseExplanation(SearchPhase phase, bool onTemplates);

class PhasesView : public QWidget {
  Q_OBJECT
 public:
  explicit PhasesView(Document& document, QWidget* parent = nullptr);
  QTreeWidget* phases() const { return phases_; }
  QTreeWidget* picks() const { return picks_; }
  QPushButton* stepButton() const { return step_; }
  QPushButton* goOnButton() const { return goOn_; }
  QToolButton* runToButton() const { return runTo_; }
  QCheckBox* pausing() const { return pausing_; }
  QString headline() const;
  QString explanation() const;

 private:
  QWidget* makeButtons();
  void refresh();
  void refreshButtons();
  void refreshPicks();
  void explain();
  void goOn();
  void refreshMenu();

  Document& document_;
  QLabel *headline_, *choice_, *explanation_;
  QTreeWidget *phases_, *picks_;
  QPushButton *step_, *goOn_;
  QToolButton* runTo_;
  QCheckBox* pausing_;
  int active_ = -1;
};

} // namespace nestwright::ui
