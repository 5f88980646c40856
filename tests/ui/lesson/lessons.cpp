/// Marks in a replay, walked through and exported as a lesson.

#include "core/record/store/mark_rows.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "tests/ui/made_up_session.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/replaying.h"
#include "ui/curves/curve_view.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/kit/message_page.h"
#include "ui/lesson/lesson_marks.h"
#include "ui/lesson/lesson_recorder.h"
#include "ui/lesson/replay_bar.h"
#include "ui/window/actions.h"
#include "ui/window/lesson_commands.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_host.h"
#include "ui/window/status_line.h"

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace nestwright::lessons_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

class LessonsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void marksMakeALesson();
  void marksAreWalkedThrough();
  void lessonsAreExported();

 private:
  QTemporaryDir folder_;
};

void LessonsTest::initTestCase() {
  keepSettingsIn(folder_);
}

void LessonsTest::marksMakeALesson() {
  const auto sample = makeSample(400);
  {
    Document document;
    ReplayBar bar(document);
    openSample(document, *sample);
    replayFrom(document);
    document.replayMode().replay()->seekTime(5);
    QTRY_VERIFY(std::abs(document.replayMode().replay()->time() - 5) < 0.1);
    bar.marks().add(QStringLiteral("Here the first good program appears."));
    QTRY_COMPARE(bar.marks().all().size(), std::size_t(1));
    QTRY_COMPARE(bar.caption(), QStringLiteral("Here the first good program appears."));
    document.replayMode().replay()->seekTime(12);
    QTRY_VERIFY(std::abs(document.replayMode().replay()->time() - 12) < 0.1);
    bar.marks().add(QStringLiteral("Now it gets slow."));
    QTRY_COMPARE(bar.marks().all().size(), std::size_t(2));
  }
  Document document;
  ReplayBar bar(document);
  openSample(document, *sample);
  replayFrom(document);
  QTRY_COMPARE(bar.marks().all().size(), std::size_t(2));
  QVERIFY(bar.caption().isEmpty());
  bar.goToMark(1);
  QTRY_COMPARE(bar.caption(), QStringLiteral("Here the first good program appears."));
  bar.goToMark(1);
  QTRY_COMPARE(bar.caption(), QStringLiteral("Now it gets slow."));
  bar.goToMark(-1);
  QTRY_VERIFY(document.replayMode().replay()->time() < 6);
  bar.marks().remove(bar.marks().all().front().id);
  QTRY_COMPARE(bar.marks().all().size(), std::size_t(1));
}

/// Forward and back, from a mark and from between two; also to one that was made while the replay
/// was held between two events.
void LessonsTest::marksAreWalkedThrough() {
  const auto sample = makeSample(400);
  double between = 0;
  {
    RecordStore store = RecordStore::open(sample->path.toStdString());
    const ReplayTimeline past(store, readContents(store, sample->session));
    between = past.events().wallSeconds(120) + 1e-9;
    store.marks().save({0, sample->session, past.events().wallSeconds(40), 40, "First <one>."});
    store.marks().save({0, sample->session, between, 120, "Second."});
    store.marks().save({0, sample->session, past.events().wallSeconds(300), 300, "Third."});
  }
  Document document;
  ReplayBar bar(document);
  openSample(document, *sample);
  replayFrom(document);
  QTRY_COMPARE(bar.marks().all().size(), std::size_t(3));
  QVERIFY(!bar.previousMarkButton()->isEnabled());
  for (const char* sentence : {"First <one>.", "Second.", "Third."}) {
    QVERIFY(bar.nextMarkButton()->isEnabled());
    bar.nextMarkButton()->click();
    QTRY_COMPARE(bar.caption(), QLatin1String(sentence));
  }
  QVERIFY(!bar.nextMarkButton()->isEnabled());
  bar.previousMarkButton()->click();
  QTRY_COMPARE(bar.caption(), QStringLiteral("Second."));
  const auto* shown = bar.findChild<QLabel*>(QStringLiteral("caption"));
  QVERIFY2(shown->text().contains("2 of 3"), qPrintable(shown->text()));
  // A little later, back is to the mark whose sentence is still shown.
  const std::size_t at = document.replayMode().replay()->position();
  seekTo(document, at + 20);
  QCOMPARE(bar.caption(), QStringLiteral("Second."));
  bar.previousMarkButton()->click();
  QTRY_COMPARE(document.replayMode().replay()->position(), at);
  bar.previousMarkButton()->click();
  QTRY_COMPARE(bar.caption(), QStringLiteral("First <one>."));
  QVERIFY(shown->text().contains("First &lt;one&gt;."));
  QVERIFY(!bar.previousMarkButton()->isEnabled());
}

void LessonsTest::lessonsAreExported() {
  const auto sample = makeSample(400);
  MainWindow window(coreCatalogue());
  window.resize(900, 600);
  window.show();
  window.openFile(sample->path);
  auto& commands = *window.findChild<LessonCommands*>();
  const QList<QAction*> actions = commands.actions();
  const auto named = [&](const char* text) {
    return *std::ranges::find_if(actions, [&](const QAction* action) {
      return action->text().remove(QLatin1Char('&')).startsWith(QLatin1String(text));
    });
  };
  QTRY_VERIFY_WITH_TIMEOUT(window.actions().replay->isEnabled(), 30'000);
  for (const QAction* action : actions)
    QVERIFY2(!action->isEnabled(), qPrintable(action->text()));
  replayFrom(window.document());
  Replay& replay = *window.document().replayMode().replay();
  auto& bar = *window.findChild<ReplayBar*>();
  QVERIFY(named("Mark This")->isEnabled() && !named("Export")->isEnabled());
  for (const auto& [place, sentence] :
       {std::pair(0.2, "Programs of <all> kinds"), std::pair(0.8, "It is getting slow")}) {
    const std::size_t before = bar.marks().all().size();
    seekTo(window.document(), std::size_t(place * double(replay.size())));
    bar.marks().add(QLatin1String(sentence));
    QTRY_COMPARE(bar.marks().all().size(), before + 1);
  }
  seekTo(window.document(), replay.size() / 2);
  QVERIFY(named("Previous")->isEnabled() && named("Next")->isEnabled());

  const QString file = folder_.filePath(QStringLiteral("lesson.html"));
  commands.exportLesson(file);
  QVERIFY(commands.recorder() && !named("Export")->isEnabled());
  QTRY_VERIFY_WITH_TIMEOUT(!commands.recorder(), 30'000);
  QTRY_COMPARE(replay.position(), replay.size() / 2); // where it stood
  QFile written(file);
  QVERIFY(written.open(QIODevice::ReadOnly));
  const QString html = QString::fromUtf8(written.readAll());
  QVERIFY(html.contains("Programs of &lt;all&gt; kinds") && html.contains("It is getting slow"));
  QCOMPARE(html.count("<section"), 2);
  QVERIFY2(!html.contains("http"), "a lesson asks no network");
  // The pictures are the window's, at two moments.
  QList<QImage> pictures;
  const QStringList parts = html.split(QStringLiteral("data:image/png;base64,"));
  for (const QString& part : parts.sliced(1))
    pictures.append(QImage::fromData(
        QByteArray::fromBase64(part.section(QLatin1Char('"'), 0, 0).toLatin1()), "PNG"));
  const qsizetype ofPanels = html.count("<figure>");
  QVERIFY(ofPanels >= 4 && ofPanels % 2 == 0);
  QCOMPARE(pictures.size(), 2 + ofPanels);
  QCOMPARE(pictures[0].size(), window.grab().toImage().size());
  QVERIFY(pictures[0] != pictures[pictures.size() / 2]);
  // What panels say can be read, in a size and as text.
  const auto& curves = *window.panels().view<CurveView>();
  QVERIFY(!curves.visibleRegion().isEmpty());
  const QString figure = html.section(QStringLiteral("<figcaption>"), 1, 1);
  QVERIFY(std::ranges::any_of(pictures, [](const QImage& picture) {
    return picture.width() >= 700 && picture.height() >= 300;
  }));
  QVERIFY2(figure.contains("<details>") && figure.contains("\t"), qPrintable(figure.right(500)));

  // What cannot be written is told, and so is a replay that ends on the way.
  commands.exportLesson(QStringLiteral("/nowhere/lesson.html"));
  QTRY_VERIFY_WITH_TIMEOUT(!commands.recorder(), 30'000);
  QVERIFY2(window.banner()->text().contains("/nowhere/lesson.html"),
           qPrintable(window.banner()->text()));
  commands.exportLesson(file);
  window.document().replayMode().end();
  QVERIFY(!commands.recorder());
  QVERIFY2(window.statusLine()->currentMessage().contains("replay ended"),
           qPrintable(window.statusLine()->currentMessage()));
  QTRY_COMPARE(window.document().state(), DocumentState::Ready);
  window.close();
  QTRY_VERIFY(!window.isVisible());
}

NW_TEST_GUI(LessonsTest)

} // namespace nestwright::lessons_test

#include "lessons.moc"
