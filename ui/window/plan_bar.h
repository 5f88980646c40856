#pragma once
/// \file What the session is after, how it searches and how long, in its tool bar: each is read
/// there, and a click changes it. The commands are in the palette, too.

#include "core/search/search_policy.h"
#include "core/session/schedule/objective.h"

#include <QList>
#include <QObject>

#include <string>
#include <utility>
#include <vector>

class QAction;
class QMenu;
class QToolBar;
class QToolButton;

namespace nestwright::ui {

class Actions;
class Document;

class PlanBar : public QObject {
  Q_OBJECT
 public:
  /// Adds its buttons to the bar, and its commands to `actions`.
  PlanBar(Document& document, Actions& actions, QToolBar& bar);

  QToolButton* policy() const { return policy_; }
  QToolButton* objective() const { return objective_; }
  QToolButton* budget() const { return budget_; }
  /// For the menu of the session: what is chosen, with the choices below.
  QList<QMenu*> menus() const;

 Q_SIGNALS:
  /// All of the plan is to be seen and changed.
  void planWanted();

 private:
  QToolButton* button(QToolBar& bar, const QString& name, const QString& title);
  void addPolicies();
  void addObjectives();
  void addBudgets();
  void refresh();

  Document& document_;
  Actions& actions_;
  QToolButton *policy_, *objective_, *budget_;
  struct Policy {
    SearchPolicyKind kind;
    QAction* action = nullptr;
  };
  std::vector<Policy> policies_;
  std::vector<QAction*> places_; // of the buttons in the bar
  std::vector<std::pair<ObjectiveKind, QAction*>> objectives_;
  QAction *all_, *longer_;
};

} // namespace nestwright::ui
