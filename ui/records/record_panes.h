#pragma once
/// \file What stands beside the pages of the records: facets at the left, figures and the record at
/// the right. They are there where there is room, until the user says whether they are to be.

#include <nlohmann/json_fwd.hpp>

#include <QSplitter>

#include <optional>

class QTabWidget;
class QToolButton;

namespace nestwright::ui {

class RecordPanes : public QSplitter {
  Q_OBJECT
 public:
  RecordPanes(QWidget* facets, QWidget* pages, QWidget* figures, QWidget* details, QWidget* parent);
  /// The user's say, for the bar above.
  QToolButton* facetsButton() const { return facetsButton_; }
  QToolButton* figuresButton() const { return figuresButton_; }

  /// How many rows are selected, and whether the document's selection is a record.
  void setSelected(std::int64_t rows, bool record);
  /// The view has this width now.
  void setRoom(int width);

  nlohmann::json viewState() const;
  void restoreViewState(const nlohmann::json& state);

 private:
  bool hasRoom(int wanted) const;
  void showFacets();
  void showPane();
  void fitPane();

  QWidget *facets_, *figures_, *details_;
  QTabWidget* pane_;
  QToolButton *facetsButton_, *figuresButton_;
  bool hasRecord_ = false, hasSeveral_ = false;
  int room_ = 0;                                   // the view's width
  std::optional<bool> figuresAsked_, facetsAsked_; // by the user
  bool setByUser_ = false;                         // the widths
};

} // namespace nestwright::ui
