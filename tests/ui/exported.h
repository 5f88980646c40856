#pragma once
/// \file What a view gives away, as a test sees it.

#include "ui/kit/exportable.h"

#include <QImage>
#include <QPainter>

namespace nestwright::ui::testing {

/// A colour that no view uses: where it is left, nothing was drawn.
inline const QColor kBlank = Qt::magenta;

/// The picture, drawn on kBlank.
inline QImage pictureOf(const Exports& exports) {
  QImage image(exports.size, QImage::Format_RGB32);
  image.fill(kBlank);
  QPainter painter(&image);
  exports.draw(painter);
  return image;
}

/// Number of rows of the table, up to the first that has not a value in every column.
inline int rowsOf(const Exports& exports) {
  int rows = 0;
  exports.table->rows([&](const QStringList& row) {
    ++rows;
    return row.size() == exports.table->headers.size();
  });
  return rows;
}

} // namespace nestwright::ui::testing
