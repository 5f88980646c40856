/// A label without room for its text says so, keeps its start or both its ends, and gives way
/// before its neighbours do.

#include "ui/kit/elided_label.h"

#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/window/main_window.h"
#include "ui/window/status_line.h"

#include <QTest>

namespace nestwright::elided_label_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

const QString kLong = QStringLiteral("Conv 3x3 512 to 512 on 7x7 + Bias + Add + Relu");

class ElidedLabelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void looksAsItsCutText_data() {
    QTest::addColumn<Qt::TextElideMode>("cut");
    QTest::newRow("middle") << Qt::ElideMiddle;
    QTest::newRow("right") << Qt::ElideRight;
  }

  void looksAsItsCutText() {
    QFETCH(Qt::TextElideMode, cut);
    ElidedLabel label(nullptr, cut);
    QLabel plain;
    label.setText(kLong);
    for (const int width : {label.sizeHint().width(), label.sizeHint().width() / 2}) {
      plain.setText(label.fontMetrics().elidedText(kLong, cut, width));
      for (QLabel* each : {static_cast<QLabel*>(&label), &plain})
        each->resize(width, label.sizeHint().height());
      QCOMPARE(label.grab().toImage(), plain.grab().toImage());
    }
    QVERIFY(plain.text() != kLong);
    QVERIFY(label.minimumSizeHint().width() < label.sizeHint().width() / 2);
  }

  void figuresOfTheStatusLineStayWhole() {
    const auto sample = makeSample(30);
    {
      RecordStore store = RecordStore::open(sample->path.toStdString());
      store.sessions().setNetworks(sample->session,
                                   {{0, (kLong + kLong).toStdString(), {{sample->tasks[0], 1}}}});
    }
    MainWindow window(coreCatalogue());
    window.resize(700, 600);
    window.show();
    window.openFile(sample->path);
    QTRY_VERIFY(window.statusLine()->text().contains(QStringLiteral("30 of 1,000 trials")));
    const auto cut = [&] {
      QStringList texts;
      for (const QLabel* label :
           window.statusLine()->findChildren<QLabel*>(Qt::FindDirectChildrenOnly))
        if (label->isVisible() && label->width() < label->sizeHint().width())
          texts.append(label->text());
      return texts;
    };
    QTRY_VERIFY2(cut().value(0).startsWith(kLong), qPrintable(cut().join('\n')));
    for (const char* figure : {"paused", "trials", "errors"})
      QTRY_VERIFY2(cut().filter(QLatin1String(figure)).isEmpty(), qPrintable(cut().join('\n')));
    QVERIFY2(window.width() < 720, "the name widens the window");
  }
};

NW_TEST_GUI(ElidedLabelTest)

} // namespace nestwright::elided_label_test

#include "elided_label.moc"
