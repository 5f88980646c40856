#pragma once
/// \file Questions of the window, answered as a person does.

#include <QAbstractButton>
#include <QApplication>
#include <QMessageBox>
#include <QTest>
#include <QTimer>

namespace nestwright::ui::testing {

/// Does it and presses this button of the question that it asks; fails when it asks none.
template <class Body>
void answered(QMessageBox::StandardButton button, const Body& body) {
  bool asked = false;
  QTimer::singleShot(0, qApp, [&] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    if (box == nullptr) return;
    asked = true;
    box->button(button)->click();
  });
  body();
  QVERIFY2(asked, "nothing was asked");
}

} // namespace nestwright::ui::testing
