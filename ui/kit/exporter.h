#pragma once
/// \file Writing what a view gives to a file (PNG, SVG, PDF, CSV, JSON lines by its ending) or the
/// clipboard (picture, TSV, Markdown, text).

#include "ui/kit/exportable.h"

#include <QObject>

#include <atomic>
#include <functional>
#include <memory>

class QMimeData;

namespace nestwright::ui {

enum class ExportKind { Png, Svg, Pdf, Csv, JsonLines };

/// By the file's ending; nothing when it is none of them.
std::optional<ExportKind> exportKindOf(const QString& file);
/// The kinds that the view can give.
QList<ExportKind> kindsOf(const Exports& exports);
/// "Picture (*.png);;Vector graphics (*.svg)…" for a file dialog.
QString fileFilter(const Exports& exports);

/// "Provenance" lines that stand at the head of tables and in the metadata of pictures: what was
/// exported, from which document, by which version, when.
QString provenance(const Exports& exports, const QString& document);

/// Where a write stands; set `cancel` to end it, which removes what was written.
struct ExportJob {
  std::atomic<std::int64_t> rows = 0;
  std::atomic<bool> cancel = false;
};

/// Draws on the GUI thread, encodes and writes on another, then calls `done` on the GUI thread with
/// an empty text or with why it failed. Nothing is left behind after a failure, and a picture in
/// which nothing is drawn or a table without rows is a failure. `context` going away ends it.
std::shared_ptr<ExportJob> exportTo(const QString& file, const Exports& exports,
                                    const QString& document, QObject* context,
                                    std::function<void(const QString& error)> done);

/// The picture as lines and text; `from` stands in its description.
QByteArray svgOf(const Exports& exports, const QString& from);
/// The picture at `scale` times its size.
QImage imageOf(const Exports& exports, double scale);
/// All rows, with headers. At most `limit` rows, because it is for the clipboard.
QString tsvOf(const ExportTable& table, int limit = 100'000);
QString markdownOf(const ExportTable& table, int limit = 1000);

} // namespace nestwright::ui
