#include "ui/window/report/report.h"

#include "core/support/error.h"
#include "ui/kit/exporter.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <fmt/format.h>

#include <QSaveFile>

namespace nestwright::ui {
namespace {

constexpr const char* kStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1100px; padding: 1rem 2rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
img { max-width: 100%; height: auto; border: 1px solid #ccc; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.7rem 0.15rem 0; text-align: left; border-bottom: 1px solid #ddd; }
footer, p.note { color: #666; font-size: 0.85rem; white-space: pre-line; }
@media print { h2 { break-after: avoid; } img, tr { break-inside: avoid; } }
)";

QString element(const char* name, const QString& text) {
  return QStringLiteral("<%1>%2</%1>").arg(QLatin1String(name), text.toHtmlEscaped());
}

QString rowHtml(const char* cell, const QStringList& cells) {
  QString html = QStringLiteral("<tr>");
  for (const QString& text : cells)
    html += element(cell, text);
  return html + QStringLiteral("</tr>\n");
}

QString tableHtml(const ExportTable& table, int mostRows) {
  QString html = QStringLiteral("<table>\n") + rowHtml("th", table.headers);
  int rows = 0;
  bool cut = false;
  table.rows([&](const QStringList& cells) {
    cut = rows == mostRows;
    if (!cut) html += rowHtml("td", cells), ++rows;
    return !cut;
  });
  html += QStringLiteral("</table>\n");
  if (cut)
    html += QStringLiteral("<p class=\"note\">%1</p>\n")
                .arg(tr("The first %1 rows; the document has more.").arg(countText(rows)));
  return html;
}

QString partHtml(const Exports& part, const QString& provenance, int mostRows) {
  QString html = element("h2", part.title) + QLatin1Char('\n');
  if (part.draw && !part.size.isEmpty())
    html += QStringLiteral("<img alt=\"%1\" src=\"data:image/svg+xml;base64,%2\">\n")
                .arg(part.title.toHtmlEscaped(),
                     QString::fromLatin1(svgOf(part, provenance).toBase64()));
  if (part.table && part.table->rows) html += tableHtml(*part.table, mostRows);
  return html;
}

} // namespace

QByteArray reportHtml(const Report& report, int mostRows) {
  const QString title = report.title.toHtmlEscaped();
  QString html =
      QStringLiteral(
          "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
          "<title>%1</title>\n<style>%2</style>\n</head>\n<body>\n<h1>%1</h1>\n<table>\n")
          .arg(title, QLatin1String(kStyle));
  for (const auto& [name, value] : report.facts)
    html += rowHtml("td", {name, value});
  html += QStringLiteral("</table>\n");
  for (const Exports& part : report.parts)
    html += partHtml(part, report.provenance, mostRows);
  html += QStringLiteral("<footer>%1</footer>\n</body>\n</html>\n")
              .arg(report.provenance.toHtmlEscaped());
  return html.toUtf8();
}

void writeReport(const Report& report, const QString& file) {
  QSaveFile out(file);
  const QByteArray bytes = reportHtml(report);
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit())
    throw InputError(fmt::format("The report cannot be written to {}: {}.", file.toStdString(),
                                 out.errorString().toStdString()));
}

} // namespace nestwright::ui
