#pragma once
/// \file A line of text that gives way: where there is no room for all of it, part of it goes.

#include <QLabel>

namespace nestwright::ui {

/// Of plain text, in one line. Where it is cut and has no tooltip, its tooltip is the whole.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(QWidget* parent = nullptr, Qt::TextElideMode cut = Qt::ElideRight);

  /// A few letters.
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  bool isCut() const;

  Qt::TextElideMode cut_;
};

} // namespace nestwright::ui
