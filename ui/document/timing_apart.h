#pragma once
/// \file What runs beside the session of a document, as a race or a recombination does: one at a
/// time may time programs on this machine.

#include <QObject>
#include <QString>

#include <map>

namespace nestwright::ui {

class Document;

class TimingApart : public QObject {
  Q_OBJECT
 public:
  explicit TimingApart(const Document& document) : document_(document) {}

  /// `who` times programs now, told in a sentence; an empty one: no longer.
  void set(const QObject* who, const QString& what);
  /// Why `who` cannot begin now, in a sentence; empty when it can.
  QString whyNot(const QObject* who) const;

 Q_SIGNALS:
  void changed();

 private:
  const Document& document_;
  std::map<const QObject*, QString> now_;
};

} // namespace nestwright::ui
