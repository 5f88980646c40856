#pragma once
/// \file Widgets side by side, in as many lines as the width needs: a tool bar of which nothing is
/// cut. What can expand (a slider, a line to write in) takes the room that is left in its line.

#include <QLayout>

#include <vector>

namespace nestwright::ui {

class FlowLayout : public QLayout {
 public:
  /// Without a parent, to be added to another layout.
  explicit FlowLayout(QWidget* parent, int spacing);
  ~FlowLayout() override;
  void addItem(QLayoutItem* item) override;
  int count() const override { return int(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize minimumSize() const override;
  QSize sizeHint() const override { return minimumSize(); }
  void setGeometry(const QRect& rect) override;

 private:
  /// Places the items when `move`, and gives the height they take.
  int arrange(const QRect& rect, bool move) const;

  /// Places a line of these items and gives its height.
  int placeLine(const std::vector<QLayoutItem*>& line, const QRect& room, int y, bool move) const;
  QSize sizeOf(const QLayoutItem* item, int room) const;

  std::vector<QLayoutItem*> items_;
};

} // namespace nestwright::ui
