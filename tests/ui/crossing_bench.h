#pragma once
/// \file The crossing lab over a session of a machine that answers as a test wants.

#include "core/record/store/store.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/patience.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "ui/crossing/crossing_control.h"
#include "ui/crossing/crossing_page.h"
#include "ui/document/shared_selection.h"
#include "ui/recombination/recombination_view.h"

#include <nlohmann/json.hpp>

#include <QSpinBox>
#include <QTabWidget>
#include <QToolButton>

#include <atomic>
#include <mutex>
#include <set>

namespace nestwright::ui::testing {

/// As the made-up machine measures, but from a moment on all programs are faster than any before.
inline std::atomic<bool> isFaster{false};
/// Programs that are new are first a little faster than this, within noise, and then as `settled`
/// times it; 0: off.
inline std::atomic<double> contested{0}, settled{1};
inline std::mutex seenMutex;
inline std::set<std::string> seen;

inline void contest(const MeasureRequest& request, MeasureResult& told) {
  const double best = contested;
  if (best <= 0 || (!told.seconds.empty() && told.seconds.front() <= best)) return;
  const std::lock_guard lock(seenMutex);
  told.verdict = Verdict::Ok; // whichever cross it is
  told.error.clear();
  told.checked = true;
  if (seen.insert(recordText(toJson(request.steps)) + request.dag).second)
    told.seconds = {0.97 * best, 0.99 * best, 1.3 * best};
  else
    told.seconds = {settled * best, settled * best, settled * best};
}

inline void measure(const std::vector<MeasureRequest>& requests,
                    const std::function<void(const MeasureResult&)>& onResult,
                    const std::atomic<bool>* stop) {
  made_up::measureAll(
      requests,
      [&](const MeasureResult& result) {
        MeasureResult told = result;
        contest(requests[result.id], told);
        if (isFaster) {
          told.verdict = Verdict::Ok;
          told.error.clear();
          told.checked = true;
          told.seconds = {2e-4, 2e-4, 2e-4};
        }
        onResult(told);
      },
      stop);
}

/// The lab over a finished session of that machine.
struct Bench {
  QTemporaryDir folder;
  QString path = folder.filePath(QStringLiteral("a.nwdb"));
  std::unique_ptr<Document> document;
  std::unique_ptr<RecombinationView> view;
  RowId session = 0, task = 0;

  Bench() {
    isFaster = false;
    contested = 0;
    session = runMadeUpSession(path, madeUpConfig("random"));
    document = std::make_unique<Document>(realSessions(measure));
    view = std::make_unique<RecombinationView>(*document);
    view->resize(1200, 600);
    view->show();
    view->tabs()->setCurrentIndex(RecombinationView::Crossing);
    document->open(path);
    QTRY_COMPARE(document->state(), DocumentState::Ready);
    QTRY_VERIFY(!document->session().historyLoading());
    task = document->session().tasks().front().row.id;
    document->selection().selectTask(task);
  }
  ~Bench() {
    view.reset();
    document.reset();
  }

  CrossingPage* page() const { return view->crossingPage(); }
  CrossingControl& control() const { return view->crossing(); }
  void click(QToolButton* button) const {
    QVERIFY(button->isVisible());
    QTRY_VERIFY(button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
  }
  void cross() const {
    click(page()->takeButton());
    QTRY_COMPARE(control().parents().size(), std::size_t(10));
    page()->count()->setValue(200);
    page()->seed()->setValue(7);
    click(page()->crossButton());
    QTRY_COMPARE(control().children().size(), std::size_t(200));
  }
  RecordStore store() const { return RecordStore::open(path.toStdString(), OpenMode::ReadOnly); }
};

} // namespace nestwright::ui::testing
