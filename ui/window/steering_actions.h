#pragma once
/// \file The commands that steer a session, as actions on what is selected: for context menus, the
/// Session menu and the command palette.

#include "ui/records/record_listing.h"

#include <QAction>
#include <QObject>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace nestwright::ui {

class Actions;
class Document;

class SteeringActions : public QObject {
  Q_OBJECT
 public:
  /// `selected` gives what is selected in the table of records; where nothing is, the record that
  /// all views show is meant.
  SteeringActions(Document& document, Actions& actions, std::function<SelectedRecords()> selected,
                  QObject* parent);

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
  void setForgotten(bool forgotten);
  std::optional<std::vector<RowId>> selectedRecords() const;

  Document& document_;
  std::function<SelectedRecords()> selected_;
};

} // namespace nestwright::ui
