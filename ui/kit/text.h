#pragma once
/// \file Between core's strings (UTF-8), Qt's, and what people read.

#include <QCoreApplication>
#include <QString>

#include <string>
#include <string_view>

namespace nestwright::ui {

inline QString qs(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
inline QString qs(const char* text) {
  return QString::fromUtf8(text);
}

/// What people read, written outside of a class with a tr() of its own.
inline QString tr(const char* text) {
  return QCoreApplication::translate("Workbench", text);
}

/// With a capital at its beginning.
inline QString capitalised(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

/// A reason or problem of core's, with a capital and a full stop.
inline QString sentenceOf(std::string_view text) {
  const QString sentence = capitalised(qs(text));
  return sentence.endsWith(QLatin1Char('.')) ? sentence : sentence + QLatin1Char('.');
}

/// A task's name with a real arrow between its channels: "Conv 3x3 64→128 on 56x56".
inline QString taskTitle(std::string_view name) {
  return qs(name).replace(QLatin1String("->"), QStringLiteral("→"));
}

} // namespace nestwright::ui
