#pragma once
/// \file The menu of filters: common ones, those that were saved, and what is done with them.

#include "ui/kit/command_palette.h"

#include <QMenu>

namespace nestwright::ui {

class RecordFilterBar;
class RecordScope;
class SavedFilters;

class RecordFilterMenu : public QMenu {
  Q_OBJECT
 public:
  /// A saved filter is written into the bar, as if it were typed.
  RecordFilterMenu(RecordScope* scope, SavedFilters* saved, RecordFilterBar* bar, QWidget* parent);

  void askSave();
  /// The saved filters by name.
  std::vector<PaletteItem> paletteItems();

 private:
  void fill();
  void addCommon(const QString& title, const char* text);
  void apply(const QString& text);

  RecordScope* scope_;
  SavedFilters* saved_;
  RecordFilterBar* bar_;
};

} // namespace nestwright::ui
