#include "ui/document/program_ref.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace nestwright::ui {

QMimeData* toMimeData(const ProgramRef& program) {
  const QJsonObject json{{QStringLiteral("file"), program.file},
                         {QStringLiteral("task"), qint64(program.task)},
                         {QStringLiteral("record"), qint64(program.record)},
                         {QStringLiteral("naive"), program.naive},
                         {QStringLiteral("alias"), program.alias}};
  auto* data = new QMimeData;
  data->setData(programMimeType(), QJsonDocument(json).toJson(QJsonDocument::Compact));
  return data;
}

std::optional<ProgramRef> programFrom(const QMimeData* data) {
  if (!data || !data->hasFormat(programMimeType())) return std::nullopt;
  const QJsonObject json = QJsonDocument::fromJson(data->data(programMimeType())).object();
  ProgramRef program;
  program.file = json[QStringLiteral("file")].toString();
  program.task = json[QStringLiteral("task")].toInteger();
  program.record = json[QStringLiteral("record")].toInteger();
  program.naive = json[QStringLiteral("naive")].toBool();
  program.alias = json[QStringLiteral("alias")].toString();
  if (!program.isValid()) return std::nullopt;
  return program;
}

} // namespace nestwright::ui
