#pragma once
/// \file The commands that steer a session, as actions on what is selected: for context menus, the
/// Session menu and the command palette.

#include <QAction>
#include <QObject>

#include <cstdint>
#include <functional>
#include <vector>

namespace nestwright::ui {

class Actions;
class Document;

class SteeringActions : public QObject {
  Q_OBJECT
 public:
  /// `records` gives the ids of the rows selected in the table of records; where there are none,
  /// the record that all views show is meant.
  SteeringActions(Document& document, Actions& actions,
                  std::function<std::vector<std::int64_t>()> records, QObject* parent);

  // Of the selected task.
  QAction *pauseTask, *pinTask, *importance;
  // Of the selected program.
  QAction *measureNow, *seed, *cross, *forget, *restore;

  QList<QAction*> taskActions() const { return {pauseTask, pinTask, importance}; }
  QList<QAction*> recordActions() const { return {measureNow, seed, cross, forget, restore}; }

 private:
  void refresh();
  void askImportance();
  std::int64_t record() const;
  std::vector<std::int64_t> chosenRecords() const;

  Document& document_;
  std::function<std::vector<std::int64_t>()> records_;
};

} // namespace nestwright::ui
