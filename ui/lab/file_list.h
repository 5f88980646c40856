#pragma once
/// \file A short list of files that a person puts together: Delete takes the selected ones out.

#include <QListWidget>

#include <functional>

namespace nestwright::ui {

class FileList : public QListWidget {
  Q_OBJECT
 public:
  /// `name` and `tip` for those who do not see it.
  FileList(const QString& name, const QString& tip, QWidget* parent);

  /// Shows these; none is selected then.
  void setFiles(const QStringList& files, const std::function<QString(const QString&)>& title);
  QStringList selectedFiles() const;

 Q_SIGNALS:
  /// The selected ones are to be taken out.
  void removalWanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void restyle();
};

} // namespace nestwright::ui
