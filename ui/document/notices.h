#pragma once
/// \file What a person has to be told although everything goes on: whoever has something to say
/// says it here, and the window shows it.

#include <QObject>
#include <QString>

namespace nestwright::ui {

class Notices : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// Something went wrong that leaves the document usable.
  void warn(const QString& text) { Q_EMIT warned(text); }

 Q_SIGNALS:
  void warned(const QString& text);
};

} // namespace nestwright::ui
