#pragma once
/// \file An offer for views that need a cost model: to switch the session to a policy that learns
/// one. It is there while the session has none.

#include <QWidget>

class QLabel;
class QPushButton;

namespace nestwright::ui {

class Document;

class PolicyOffer : public QWidget {
  Q_OBJECT
 public:
  explicit PolicyOffer(Document& document, QWidget* parent);
  /// The view has something to say about that now; it has from the beginning.
  void setWanted(bool wanted);
  QPushButton* button() const { return button_; }

 private:
  void refresh();

  Document& document_;
  QLabel* why_;
  QPushButton* button_;
  bool wanted_ = true;
};

} // namespace nestwright::ui
