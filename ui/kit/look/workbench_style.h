#pragma once
/// \file How the window's controls are drawn and how large they are: Fusion, with what it draws
/// heavier than we want drawn lighter. A style and no style sheet, because a sheet is matched anew
/// against every widget whenever colours or fonts change: a second for all panels.

#include <QPointer>
#include <QProxyStyle>
#include <QTimer>

#include <vector>

class QStyleOptionProgressBar;

namespace nestwright::ui {

/// Takes its colours from colours() at the moment of painting: a change of them needs no new style.
class WorkbenchStyle : public QProxyStyle {
  Q_OBJECT
 public:
  WorkbenchStyle();

  using QProxyStyle::polish;
  void polish(QWidget* widget) override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option,
                  const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* answer) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                         const QWidget* widget) const override;
  QRect subElementRect(SubElement element, const QStyleOption* option,
                       const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                       const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;

 private:
  void drawProgress(const QStyleOptionProgressBar& bar, QPainter* painter,
                    const QWidget* widget) const;

  /// Bars without an end that were painted since the last tick; they are painted once more.
  mutable std::vector<QPointer<QWidget>> busy_;
  mutable QTimer tick_;
};

} // namespace nestwright::ui
