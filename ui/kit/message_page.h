#pragma once
/// \file One message in place of the document: that it is being loaded, or why it cannot be.

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace nestwright::ui {

class MessagePage : public QWidget {
  Q_OBJECT
 public:
  explicit MessagePage(QWidget* parent = nullptr);
  void showLoading(const QString& what);
  /// `back` is what the button says that leaves the page.
  void showError(const QString& title, const QString& text, const QString& back = tr("Back"));
  /// What a second button says, of something else to be done about it; empty for none.
  void setOffer(const QString& offer);
  QString text() const;

 Q_SIGNALS:
  void dismissed();
  void offerTaken();

 private:
  void restyle();

  QLabel *title_, *text_;
  QProgressBar* busy_;
  QPushButton *back_, *offer_;
};

/// A line above the views for what went wrong while the document stays usable; can be dismissed.
class Banner : public QWidget {
  Q_OBJECT
 public:
  explicit Banner(QWidget* parent = nullptr);
  void show(const QString& text);
  QString text() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* text_;
};

} // namespace nestwright::ui
