#pragma once
/// \file The document that a new session is saved to: a new one, named after what is tuned until
/// the user names another, or one that has sessions already.

#include <QGroupBox>

class QLabel;
class QLineEdit;

namespace nestwright::ui {

class DocumentForm : public QGroupBox {
  Q_OBJECT
 public:
  explicit DocumentForm(QWidget* parent = nullptr);

  QString path() const;
  /// A choice of the user's: nothing is suggested any more.
  void setPath(const QString& path);
  /// A new file of this name, or of one like it, in the folder used last, unless the user has named
  /// one.
  void suggest(const QString& name);
  /// Why nothing can be saved there; empty when it can.
  QString problem() const;
  /// Says what is there now, or what is wrong with it.
  void tell();

 Q_SIGNALS:
  void changed();

 private:
  void browse();

  QLineEdit* path_;
  QLabel *note_, *problem_;
  bool isOurs_ = true; // until the user names a file
};

} // namespace nestwright::ui
