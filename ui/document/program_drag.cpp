#include "ui/document/program_drag.h"

#include "ui/kit/drag_label.h"

#include <QApplication>
#include <QDrag>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QPixmap>
#include <QWidget>

#include <memory>

namespace nestwright::ui {
namespace {

/// An array of what programMimeType() has.
QString listMimeType() {
  return QStringLiteral("application/x-nestwright-programs");
}

QByteArray bytesOf(const QJsonArray& array) {
  return QJsonDocument(array).toJson(QJsonDocument::Compact);
}

} // namespace

QMimeData* toMimeData(const std::vector<ProgramRef>& programs) {
  if (programs.empty()) return new QMimeData;
  QMimeData* data = toMimeData(programs.front());
  QJsonArray all;
  QStringList records;
  for (const ProgramRef& program : programs) {
    const std::unique_ptr<QMimeData> one(toMimeData(program));
    all.append(QJsonDocument::fromJson(one->data(programMimeType())).object());
    if (program.record != 0) records.append(QString::number(program.record));
  }
  data->setData(listMimeType(), bytesOf(all));
  if (!records.isEmpty()) data->setText(QStringLiteral("record:") + records.join(QLatin1Char(',')));
  return data;
}

std::vector<ProgramRef> programsFrom(const QMimeData* data) {
  std::vector<ProgramRef> programs;
  if (data == nullptr) return programs;
  if (!data->hasFormat(listMimeType())) {
    if (const auto program = programFrom(data)) programs.push_back(*program);
    return programs;
  }
  for (const QJsonValue value : QJsonDocument::fromJson(data->data(listMimeType())).array()) {
    QMimeData one;
    one.setData(programMimeType(), QJsonDocument(value.toObject()).toJson());
    if (const auto program = programFrom(&one)) programs.push_back(*program);
  }
  return programs;
}

void dragPrograms(QWidget* source, const std::vector<ProgramRef>& programs) {
  if (programs.empty()) return;
  auto* drag = new QDrag(source); // deletes itself
  drag->setMimeData(toMimeData(programs));
  drag->setPixmap(dragLabel(int(programs.size())));
  drag->setHotSpot(QPoint(-12, -8));
  drag->exec(Qt::CopyAction);
}

} // namespace nestwright::ui
