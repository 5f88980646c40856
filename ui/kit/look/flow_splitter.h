#pragma once
/// \file Parts of a page side by side where there is room, and one above the other where there is
/// not.

#include <QSplitter>

namespace nestwright::ui {

class FlowSplitter : public QSplitter {
 public:
  /// Side by side from this width on, in pixels.
  explicit FlowSplitter(int sideBySide, QWidget* parent = nullptr);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int sideBySide_;
};

} // namespace nestwright::ui
