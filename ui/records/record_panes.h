#pragma once
/// \file The side bar beside the pages of the records: figures, facets and the record. It is there
/// where there is room, until the user says whether it is to be.

#include <nlohmann/json_fwd.hpp>

#include <QSplitter>

#include <optional>

class QTabWidget;
class QToolButton;

namespace nestwright::ui {

class RecordPanes : public QSplitter {
  Q_OBJECT
 public:
  RecordPanes(QWidget* pages, QWidget* figures, QWidget* facets, QWidget* record, QWidget* parent);
  /// The user's say, for the bar above.
  QToolButton* sideBarButton() const { return button_; }
  QTabWidget* sideBar() const { return bar_; }

  /// How many rows are selected, and whether the document's selection is a record.
  void setSelected(std::int64_t rows, bool record);
  /// The view has this width now.
  void setRoom(int width);

  nlohmann::json viewState() const;
  void restoreViewState(const nlohmann::json& state);

 private:
  bool hasRoom() const;
  void showBar();
  void fitBar();

  QWidget *figures_, *facets_, *record_;
  QTabWidget* bar_;
  QToolButton* button_;
  bool hasRecord_ = false, hasSeveral_ = false;
  int room_ = 0;              // the view's width
  std::optional<bool> asked_; // for, by the user
  bool setByUser_ = false;    // the width
};

} // namespace nestwright::ui
