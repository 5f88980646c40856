#pragma once
/// \file Widgets side by side, in as many lines as the width needs.

#include <QLayout>

#include <vector>

namespace nestwright::ui {

class FlowLayout : public QLayout {
 public:
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

  std::vector<QLayoutItem*> items_;
};

} // namespace nestwright::ui
