#pragma once
/// \file The program view on the fastest program of a made-up session.

#include "tests/support/patience.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "ui/document/shared_selection.h"
#include "ui/program/program_view.h"

#include <QTemporaryDir>

namespace nestwright::ui::testing {

struct ProgramBench {
  QTemporaryDir folder;
  QString path = folder.filePath(QStringLiteral("a.nwdb"));
  RowId session;
  Document document{madeUpSessions()};
  ProgramView view{document};

  explicit ProgramBench(ProgramView::Page page,
                        const SessionConfig& config = madeUpConfig("random"))
      : session(runMadeUpSession(path, config)) {
    view.resize(1100, 600);
    view.setVisible(true);
    document.open(path);
    waitUntilShown(page);
  }

 private:
  void waitUntilShown(ProgramView::Page page) {
    QTRY_COMPARE(document.state(), DocumentState::Ready);
    document.selection().selectTask(document.session().tasks().front().row.id);
    view.showPage(page);
    QTRY_VERIFY(view.program().task != 0);
  }
};

} // namespace nestwright::ui::testing
