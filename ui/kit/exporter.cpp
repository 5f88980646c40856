#include "ui/kit/exporter.h"

#include "core/support/csv.h"
#include "core/support/version.h"
#include "ui/kit/text.h"

#include <QBuffer>
#include <QDateTime>
#include <QFileInfo>
#include <QFutureWatcher>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QtConcurrentRun>

#include <exception>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr double kPictureScale = 2; // pictures for slides: twice the screen's resolution
constexpr int kDotsPerInch = 96;

/// True when all is of one colour: nobody wants that file.
bool isBlank(const QImage& image) {
  if (image.isNull()) return true;
  const QImage small = image.convertToFormat(QImage::Format_RGB32);
  const auto first = *reinterpret_cast<const QRgb*>(small.constScanLine(0));
  for (int y = 0; y < small.height(); ++y) {
    const auto* line = reinterpret_cast<const QRgb*>(small.constScanLine(y));
    for (int x = 0; x < small.width(); ++x)
      if (line[x] != first) return false;
  }
  return true;
}

QByteArray pdfOf(const Exports& exports, const QString& from) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter pdf(&buffer);
  pdf.setTitle(exports.title);
  pdf.setCreator(from);
  pdf.setResolution(kDotsPerInch);
  // A page that fits the picture, so that it can be placed in a document as it is.
  pdf.setPageSize(QPageSize(QSizeF(exports.size) * 72 / kDotsPerInch, QPageSize::Point));
  pdf.setPageMargins(QMarginsF());
  QPainter painter(&pdf);
  exports.draw(painter);
  painter.end();
  return buffer.data();
}

using Writer = std::function<QString(QSaveFile& file, ExportJob& job)>;

Writer bytesWriter(QByteArray bytes) {
  return [bytes = std::move(bytes)](QSaveFile& file, ExportJob&) {
    return file.write(bytes) == bytes.size() ? QString() : file.errorString();
  };
}

/// Writes the lines that `give` gives until one cannot be written or the job is cancelled.
template <class Line>
QString writeLines(QSaveFile& file, ExportJob& job, const Line& give) {
  bool sound = true;
  // Reading may fail half-way: the file is damaged, or gone.
  try {
    give([&](QByteArray line) {
      line += '\n';
      sound = file.write(line) == line.size();
      ++job.rows;
      return sound && !job.cancel;
    });
  } catch (const std::exception& problem) {
    return QString::fromUtf8(problem.what());
  }
  if (!sound) return file.errorString();
  if (job.cancel) return tr("Cancelled.");
  return job.rows > 0 ? QString() : tr("The table has no rows yet.");
}

/// One line of a CSV file (RFC 4180), without its end.
QString csvLine(const QStringList& cells) {
  QStringList fields;
  for (const QString& cell : cells)
    fields.append(qs(csvField(cell.toStdString())));
  return fields.join(QLatin1Char(','));
}

Writer tableWriter(const ExportTable& table, const QString& from) {
  return [table, from](QSaveFile& file, ExportJob& job) {
    QString head;
    for (const QString& line : from.split(QLatin1Char('\n')))
      head += qs(csvRemark(line.toStdString())) + QLatin1Char('\n');
    file.write((head + csvLine(table.headers) + QLatin1Char('\n')).toUtf8());
    return writeLines(file, job, [&](const auto& write) {
      table.rows([&](const QStringList& cells) { return write(csvLine(cells).toUtf8()); });
    });
  };
}

/// Every line is a whole document; there is no place for where they come from but the file's name.
Writer lineWriter(decltype(Exports::lines) lines) {
  return [lines = std::move(lines)](QSaveFile& file, ExportJob& job) {
    return writeLines(file, job, [&](const auto& write) { lines(write); });
  };
}

/// What has to be drawn is drawn here; what is left can be written on any thread.
Writer prepare(ExportKind kind, const Exports& exports, const QString& from) {
  if (kind == ExportKind::Csv) return tableWriter(*exports.table, from);
  if (kind == ExportKind::JsonLines) return lineWriter(exports.lines);
  // Whether anything is seen is asked of a small picture, whatever the kind.
  if (isBlank(imageOf(exports, 1)))
    return [](QSaveFile&, ExportJob&) { return tr("There is nothing to be seen in it yet."); };
  if (kind == ExportKind::Svg) return bytesWriter(svgOf(exports, from));
  if (kind == ExportKind::Pdf) return bytesWriter(pdfOf(exports, from));
  QImage image = imageOf(exports, kPictureScale);
  image.setText(QStringLiteral("Title"), exports.title);
  image.setText(QStringLiteral("Source"), from);
  return [image](QSaveFile& file, ExportJob&) {
    return image.save(&file, "PNG") ? QString() : file.errorString();
  };
}

QString write(const QString& path, const Writer& writer, ExportJob& job) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly))
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
  const QString problem = writer(file, job);
  if (!problem.isEmpty()) {
    file.cancelWriting();
    return tr("%1 was not written. %2").arg(QFileInfo(path).fileName(), problem);
  }
  if (!file.commit()) return tr("%1 cannot be written: %2").arg(path, file.errorString());
  return {};
}

} // namespace

std::optional<ExportKind> exportKindOf(const QString& file) {
  const QString ending = QFileInfo(file).suffix().toLower();
  if (ending == QLatin1String("png")) return ExportKind::Png;
  if (ending == QLatin1String("svg")) return ExportKind::Svg;
  if (ending == QLatin1String("pdf")) return ExportKind::Pdf;
  if (ending == QLatin1String("csv")) return ExportKind::Csv;
  if (ending == QLatin1String("jsonl")) return ExportKind::JsonLines;
  return std::nullopt;
}

QList<ExportKind> kindsOf(const Exports& exports) {
  QList<ExportKind> kinds;
  if (exports.draw && !exports.size.isEmpty())
    kinds = {ExportKind::Png, ExportKind::Svg, ExportKind::Pdf};
  if (exports.table && exports.table->rows) kinds.append(ExportKind::Csv);
  if (exports.lines) kinds.append(ExportKind::JsonLines);
  return kinds;
}

QString fileFilter(const Exports& exports) {
  QStringList filters;
  for (const ExportKind kind : kindsOf(exports)) {
    switch (kind) {
    case ExportKind::Png:
      filters.append(tr("Picture (*.png)"));
      break;
    case ExportKind::Svg:
      filters.append(tr("Vector graphics (*.svg)"));
      break;
    case ExportKind::Pdf:
      filters.append(tr("PDF (*.pdf)"));
      break;
    case ExportKind::Csv:
      filters.append(tr("Table (*.csv)"));
      break;
    case ExportKind::JsonLines:
      filters.append(tr("JSON lines (*.jsonl)"));
      break;
    }
  }
  return filters.join(QStringLiteral(";;"));
}

QString provenance(const Exports& exports, const QString& document) {
  return QStringLiteral("%1\n%2\n%3, %4")
      .arg(exports.title, document, qs(versionText()),
           QDateTime::currentDateTime().toString(Qt::ISODate));
}

std::shared_ptr<ExportJob> exportTo(const QString& file, const Exports& exports,
                                    const QString& document, QObject* context,
                                    std::function<void(const QString& error)> done) {
  auto job = std::make_shared<ExportJob>();
  const std::optional<ExportKind> kind = exportKindOf(file);
  if (!kind || !kindsOf(exports).contains(*kind)) {
    done(kind ? tr("%1 has no such form; it can be: %2").arg(exports.title, fileFilter(exports))
              : tr("%1: the ending says the form: .png, .svg, .pdf, .csv or .jsonl.").arg(file));
    return job;
  }
  const Writer writer = prepare(*kind, exports, provenance(exports, document));
  auto* writing = new QFutureWatcher<QString>(context);
  QObject::connect(writing, &QFutureWatcherBase::finished, context,
                   [writing, done = std::move(done)] {
                     writing->deleteLater();
                     done(writing->result());
                   });
  writing->setFuture(QtConcurrent::run([file, writer, job] { return write(file, writer, *job); }));
  return job;
}

QByteArray svgOf(const Exports& exports, const QString& from) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator svg;
  svg.setOutputDevice(&buffer);
  svg.setSize(exports.size);
  svg.setViewBox(QRect(QPoint(), exports.size));
  svg.setResolution(kDotsPerInch);
  svg.setTitle(exports.title);
  svg.setDescription(from);
  QPainter painter(&svg);
  exports.draw(painter);
  painter.end();
  return buffer.data();
}

QImage imageOf(const Exports& exports, double scale) {
  QImage image(exports.size * scale, QImage::Format_ARGB32_Premultiplied);
  if (image.isNull()) return image;
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  painter.scale(scale, scale);
  exports.draw(painter);
  return image;
}

QString tsvOf(const ExportTable& table, int limit) {
  QStringList lines{table.headers.join(QLatin1Char('\t'))};
  table.rows([&](QStringList cells) {
    for (QString& cell : cells)
      cell = qs(withFormulaGuard(cell.replace(QLatin1Char('\t'), QLatin1Char(' '))
                                     .replace(QLatin1Char('\n'), QLatin1Char(' '))
                                     .toStdString()));
    lines.append(cells.join(QLatin1Char('\t')));
    return lines.size() <= limit;
  });
  return lines.join(QLatin1Char('\n'));
}

QString markdownOf(const ExportTable& table, int limit) {
  const auto line = [](QStringList cells) {
    for (QString& cell : cells)
      cell.replace(QLatin1Char('|'), QStringLiteral("\\|"))
          .replace(QLatin1Char('\n'), QLatin1Char(' '));
    return QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |");
  };
  QStringList lines{line(table.headers),
                    QStringLiteral("|") + QStringLiteral(" --- |").repeated(table.headers.size())};
  table.rows([&](const QStringList& cells) {
    lines.append(line(cells));
    return lines.size() < limit + 2;
  });
  return lines.join(QLatin1Char('\n'));
}

} // namespace nestwright::ui
