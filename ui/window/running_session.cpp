#include "ui/window/running_session.h"

#include "ui/document/document.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QMessageBox>
#include <QPushButton>

namespace nestwright::ui {

QString runningText(const Document& document) {
  const LiveSession& session = document.session();
  if (document.state() != DocumentState::Ready) return {};
  if (!session.isRunning() && session.pending() != Pending::Start) return {};
  return tr("%1 is being tuned in this window (%2 of %3 trials).")
      .arg(qs(session.contents().network), countText(session.progress().trials),
           countText(session.progress().budget));
}

OpenWhere askWhere(const Document& document, const QString& what, QWidget* parent) {
  const QString running = runningText(document);
  if (running.isEmpty()) return OpenWhere::Here;
  QMessageBox box(QMessageBox::Question, tr("A Session Runs"), running, QMessageBox::Cancel,
                  parent);
  box.setInformativeText(
      tr("Opening %1 here pauses it. Everything that was measured is in the file "
         "already, and it can go on later.")
          .arg(what));
  auto* own = box.addButton(tr("Open in a &New Window"), QMessageBox::AcceptRole);
  auto* here = box.addButton(tr("&Pause and Open Here"), QMessageBox::DestructiveRole);
  box.setDefaultButton(own);
  box.exec();
  return box.clickedButton() == own    ? OpenWhere::OwnWindow
         : box.clickedButton() == here ? OpenWhere::Here
                                       : OpenWhere::Nowhere;
}

} // namespace nestwright::ui
