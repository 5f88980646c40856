/// The recombination view: real recombinations whose networks are measured by a made-up machine.

#include "ui/recombination/recombination_view.h"

#include "core/record/store/choice_rows.h"
#include "core/record/store/recombination_rows.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"
#include "tests/ui/fixture.h"
#include "ui/document/notices.h"
#include "ui/document/shared_selection.h"
#include "ui/document/steering.h"
#include "ui/kit/command_palette.h"
#include "ui/kit/exporter.h"
#include "ui/kit/text.h"
#include "ui/recombination/recombination_control.h"
#include "ui/recombination/recombination_model.h"
#include "ui/recombination/recombination_page.h"
#include "ui/recombination/recombination_plot.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <atomic>
#include <thread>

namespace nestwright::recombination_view_test {

using namespace nestwright::ui;
using namespace nestwright::ui::testing;

/// A machine on which a network takes 10 ms, and 6 % less with the second task's third program. It
/// measures as many as it is allowed to and waits then.
struct Machine {
  std::atomic<int> allowed{1'000'000};
  std::atomic<int> measured{0};
  std::atomic<int> alive{0};
  std::atomic<bool> crashing{false};
  std::string fast; // programId

  NetworkMeasure measure() {
    return [this](const NetworkRequest& request, const std::atomic<bool>* stop) {
      while (measured >= allowed && !*stop)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      NetworkResult result;
      if (*stop) result.verdict = Verdict::Cancelled;
      if (crashing && measured > 0) {
        result.verdict = Verdict::RunError;
        result.error = "the network crashed: segmentation fault (signal 11)\nmore of it";
      }
      if (result.verdict == Verdict::Cancelled) return result;
      ++measured;
      if (result.verdict != Verdict::Ok) return result;
      for (const NetworkPrograms& programs : request.networks) {
        double seconds = 10e-3;
        for (const NetworkProgram& program : programs)
          if (program.program == fast) seconds *= 0.94;
        std::vector<std::vector<double>> rounds;
        for (int i = 0; i < request.rounds; ++i)
          rounds.push_back({seconds * (1 + 1e-3 * ((measured + i) % 3)), seconds, seconds});
        result.seconds.push_back(rounds);
      }
      return result;
    };
  }
};

class Port : public RecombinationPort {
 public:
  Port(const std::string& path, RowId id, Recombination::Observer observer, Machine& machine)
      : machine_(machine), recombination_(path, id, std::move(observer), machine.measure()) {
    ++machine_.alive;
  }
  ~Port() override { --machine_.alive; }
  void post(const RecombinationCommand& command) override { recombination_.post(command); }

 private:
  Machine& machine_;
  Recombination recombination_;
};

/// Three fast programs of each task of the sample, as core would find them in a tuned network.
RecombinationState stateOf(const Sample& sample, const RecordStore& store, int k) {
  RecombinationState state;
  for (std::size_t i = 0; i < sample.tasks.size(); ++i) {
    TaskCandidates task{int(i), sample.tasks[i], "matmul " + std::to_string(i), 1, {}};
    RecordQuery query;
    query.task = sample.tasks[i];
    query.limit = k + 3;
    query.order = RecordQuery::Order::Fastest;
    for (const Record& record : store.records().page(query))
      if (record.result.verdict == Verdict::Ok && int(task.programs.size()) < k)
        task.programs.push_back({record.id, record.program, record.result.latency()});
    state.candidates.push_back(task);
  }
  return state;
}

/// A document of the sample, and the view of it on a made-up machine.
struct Bench {
  std::unique_ptr<Sample> sample = makeSample(120);
  Machine machine;
  RecombinationConfig asked; // the last one that was begun
  std::string refusal;       // why none can be begun
  SessionScript script;
  std::unique_ptr<Document> document;
  std::unique_ptr<RecombinationView> view;

  Bench() { machine.fast = state(3).candidates[1].programs[2].program; }

  RecombinationState state(int k) const {
    return stateOf(*sample, RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly), k);
  }

  RowId begin(const std::string& path, const RecombinationConfig& config) {
    asked = config;
    if (!refusal.empty()) throw InputError(refusal);
    RecordStore store = RecordStore::open(path, OpenMode::ReadWrite);
    return store.recombinations().add({0, 1, 1, toJson(config).dump(),
                                       toText(stateOf(*sample, store, config.k)),
                                       SessionStatus::Ready, 1, 1, 0, "test"});
  }

  void open() {
    view.reset();
    document = std::make_unique<Document>(scripted(script));
    view = std::make_unique<RecombinationView>(
        *document, nullptr,
        [this](const std::string& path, RowId id, Recombination::Observer observer) {
          return std::make_unique<Port>(path, id, std::move(observer), machine);
        },
        [this](const std::string& path, const RecombinationConfig& config) {
          return begin(path, config);
        });
    view->resize(1000, 500);
    view->show();
    openSample(*document, *sample);
    QTRY_VERIFY(!view->control().isLoading());
  }

  ~Bench() {
    view.reset(); // before the machine that it measures on
    document.reset();
  }

  RecombinationPage* page() const { return view->page(); }
  void click(QToolButton* button) const {
    QVERIFY(button->isVisible());
    QTRY_VERIFY(button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
  }
  std::optional<NetworkChoice> choice() const {
    return RecordStore::open(sample->path.toStdString(), OpenMode::ReadOnly).choices().of(1, 1);
  }
};

class RecombinationViewTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void findsAWinnerThatIsKeptAndFoundAgain();
  void pausesGoesOnAndStops();
  void beginningDoesNotHoldUpTheWindow();
  void saysWhyItCannotBegin();
  void failuresAreShownAndSaid();
  void samplesCanBePicked();
  void isExported();
  void theCommandPaletteDrivesIt();
};

void RecombinationViewTest::findsAWinnerThatIsKeptAndFoundAgain() {
  Bench bench;
  bench.open();
  QVERIFY(bench.page()->plot()->message().contains(QStringLiteral("No combinations measured yet")));
  QVERIFY(!bench.page()->keepButton()->isVisible());
  bench.page()->candidates()->setValue(3);
  bench.page()->samples()->setValue(20);
  bench.page()->seed()->setValue(5);
  bench.click(bench.page()->startButton());
  QTRY_COMPARE(bench.view->control().recombination().status, SessionStatus::Finished);
  QCOMPARE(bench.asked.k, 3);
  QCOMPARE(bench.asked.samples, 20);
  QCOMPARE(bench.asked.seed, std::uint64_t(5));
  QCOMPARE(bench.asked.network, std::string("sample:batch=1"));
  // On what the session tunes for that is shown, not another one of the file.
  QCOMPARE(bench.asked.target, std::string("llvm"));
  const RecombinationSummary& summary = bench.view->control().recombination().summary;
  QVERIFY(summary.winner.has_value());
  QCOMPARE(summary.samples, 20);
  QVERIFY2(bench.page()->headline().contains(QStringLiteral("Sample %1 is").arg(*summary.winner)),
           qPrintable(bench.page()->headline()));
  QVERIFY(bench.page()->headline().contains(QStringLiteral("6.0 % faster")));
  // The table is about the winner, which took the fast program of the second task.
  QCOMPARE(bench.page()->model()->sample(), *summary.winner);
  QCOMPARE(bench.page()->table()->model()->rowCount(), 3);
  const int row = bench.page()->model()->rowOf(bench.sample->tasks[1]);
  QCOMPARE(bench.page()->model()->index(row, RecombinationModel::Candidate).data().toString(),
           QStringLiteral("3 of 3"));
  const RowId fast = bench.state(3).candidates[1].programs[2].record;
  QCOMPARE(bench.page()->model()->recordOf(row), fast);

  QVERIFY(!bench.choice());
  bench.click(bench.page()->keepButton());
  QTRY_VERIFY(bench.page()->keepButton()->text().startsWith(QChar(0x2713)));
  QVERIFY(bench.choice().has_value());
  QCOMPARE(bench.choice()->programs[1].record, fast);

  bench.open();                                                      // another window
  QCOMPARE(bench.view->control().recombination().samples.size(), std::size_t(22)); // the bests at 0 and 10
  QTRY_VERIFY(bench.page()->keepButton()->isChecked());
  QCOMPARE(bench.page()->candidates()->value(), 3);
  QCOMPARE(bench.page()->samples()->value(), 20);
  QCOMPARE(bench.page()->seed()->value(), 5);
  QVERIFY(bench.page()->headline().contains(QStringLiteral("6.0 % faster")));
  QVERIFY(bench.page()->plot()->message().isEmpty());
  bench.click(bench.page()->keepButton());
  QTRY_VERIFY(!bench.page()->keepButton()->text().startsWith(QChar(0x2713)));
  QVERIFY(!bench.choice());
}

void RecombinationViewTest::pausesGoesOnAndStops() {
  Bench bench;
  bench.open();
  bench.machine.allowed = 4;
  bench.click(bench.page()->startButton());
  const auto& samples = bench.view->control().recombination().samples;
  QTRY_COMPARE(samples.size(), std::size_t(4));
  QVERIFY(!bench.page()->startButton()->isEnabled());
  QVERIFY(!bench.page()->samples()->isEnabled());
  QCOMPARE(bench.page()->goOnButton()->text(), QStringLiteral("Pause"));
  bench.click(bench.page()->goOnButton());
  QTRY_COMPARE(bench.view->control().recombination().status, SessionStatus::Paused);
  QTRY_COMPARE(bench.page()->goOnButton()->text(), QStringLiteral("Go On"));
  QVERIFY(bench.page()->headline().contains(QStringLiteral("Paused")));

  bench.open(); // gone on with in another window
  QCOMPARE(bench.view->control().recombination().samples.size(), std::size_t(4));
  bench.machine.allowed = 9;
  bench.click(bench.page()->goOnButton());
  QTRY_COMPARE(bench.view->control().recombination().samples.size(), std::size_t(9));
  bench.click(bench.page()->stopButton());
  QTRY_COMPARE(bench.view->control().recombination().status, SessionStatus::Finished);
  QTRY_VERIFY(bench.page()->startButton()->isEnabled());
  QVERIFY(!bench.page()->goOnButton()->isVisible());
  QVERIFY(bench.page()->headline().contains(QStringLiteral("of 80 combinations measured")));

  // Closing the document ends what runs.
  bench.machine.allowed = 12;
  bench.click(bench.page()->startButton());
  QTRY_COMPARE(bench.machine.alive.load(), 1);
  QTRY_VERIFY(bench.view->control().recombination().isRunning());
  bench.document->close();
  QTRY_COMPARE(bench.machine.alive.load(), 0);
  QTRY_VERIFY(bench.view->control().recombination().samples.empty());
}

void RecombinationViewTest::beginningDoesNotHoldUpTheWindow() {
  Bench bench;
  bench.open();
  std::atomic<bool> released{false};
  RecombinationView slow(
      *bench.document, nullptr,
      [&](const std::string& path, RowId id, Recombination::Observer observer) {
        return std::make_unique<Port>(path, id, std::move(observer), bench.machine);
      },
      [&](const std::string& path, const RecombinationConfig& config) {
        while (!released)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return bench.begin(path, config);
      });
  slow.resize(900, 400);
  slow.show();
  QTRY_VERIFY(!slow.control().isLoading());
  bench.click(slow.page()->startButton()); // returns while the file is still worked on
  QVERIFY(slow.control().isPending());
  QVERIFY(!slow.page()->startButton()->isEnabled());
  QTRY_VERIFY(slow.page()->plot()->message().contains(QStringLiteral("Choosing the candidates")));
  released = true;
  QTRY_COMPARE(slow.control().recombination().status, SessionStatus::Finished);
}

void RecombinationViewTest::saysWhyItCannotBegin() {
  Bench bench;
  bench.open();
  QSignalSpy warned(&bench.document->notices(), &Notices::warned);
  bench.refusal = "sample.nwdb has no verified record of this network";
  bench.click(bench.page()->startButton());
  QTRY_COMPARE(warned.count(), 1);
  QCOMPARE(warned.front().front().toString(), qs(bench.refusal));
  QVERIFY(bench.page()->startButton()->isEnabled()); // once something was done about it

  bench.document->steering().start(); // one at a time may time programs
  QTRY_VERIFY(bench.document->session().isRunning());
  QTRY_VERIFY(!bench.page()->startButton()->isEnabled());
  QVERIFY(bench.page()->startButton()->toolTip().contains(QStringLiteral("pause the session")));
  QVERIFY(bench.page()->plot()->message().contains(QStringLiteral("pause the session")));
  // In a narrow panel it takes more lines, and no word is cut.
  RecombinationPlot& plot = *bench.page()->plot();
  const auto hasRoom = [&] {
    int told = 0;
    for (int i = 0; i < plot.itemCount(); ++i) {
      const auto* text = qobject_cast<QCPItemText*>(plot.item(i));
      if (!text || !text->visible() || !text->text().contains(QStringLiteral("One at a time")))
        continue;
      ++told;
      for (const QString& line : text->text().split(QChar(QChar::LineSeparator)))
        if (QFontMetrics(text->font()).horizontalAdvance(line) > plot.axisRect()->width())
          return false;
    }
    return told == 1;
  };
  bench.view->resize(500, 600);
  plot.replot(QCustomPlot::rpImmediateRefresh);
  QVERIFY(plot.axisRect()->width() < 500);
  QTRY_VERIFY(hasRoom());
  bench.document->steering().pause();
  QTRY_VERIFY(bench.page()->startButton()->isEnabled());
  bench.document->close();
  QTRY_VERIFY(bench.page()->plot()->message().contains(QStringLiteral("no document")));
  QVERIFY(!bench.page()->startButton()->isEnabled());
}

void RecombinationViewTest::failuresAreShownAndSaid() {
  Bench bench;
  bench.open();
  bench.machine.crashing = true; // all but the bests at first
  bench.machine.allowed = 6;
  bench.click(bench.page()->startButton());
  QTRY_COMPARE(bench.view->control().recombination().samples.size(), std::size_t(6));
  QTRY_VERIFY(bench.page()->headline().contains(QStringLiteral("5 failed")));
  RecombinationPlot* plot = bench.page()->plot();
  QTest::mouseMove(plot, plot->positionOf(3).toPoint());
  QTRY_VERIFY(plot->readout().contains(QStringLiteral("signal 11")));
  QVERIFY(!plot->readout().contains(QStringLiteral("more of it")));
  QTest::mouseClick(plot, Qt::LeftButton, {}, plot->positionOf(3).toPoint());
  QCOMPARE(bench.page()->model()->sample(), 3);
  QVERIFY(!bench.page()->keepButton()->isEnabled()); // what failed cannot be kept
}

void RecombinationViewTest::samplesCanBePicked() {
  Bench bench;
  bench.open();
  bench.page()->samples()->setValue(12);
  bench.click(bench.page()->startButton());
  QTRY_COMPARE(bench.view->control().recombination().status, SessionStatus::Finished);
  RecombinationPlot* plot = bench.page()->plot();
  QTest::mouseClick(plot, Qt::LeftButton, {}, plot->positionOf(4).toPoint());
  QCOMPARE(bench.page()->model()->sample(), 4);
  QTest::keyClick(plot, Qt::Key_Right);
  QCOMPARE(bench.page()->model()->sample(), 5);
  // A row of the table is the selection of all views, and the other way round.
  QTableView* table = bench.page()->table();
  table->setCurrentIndex(table->model()->index(0, 0));
  const QModelIndex record = table->model()->index(0, RecombinationModel::Record);
  QCOMPARE(bench.document->selection().current().record, record.data().toString().toLongLong());
  bench.document->selection().selectTask(bench.sample->tasks[2]);
  QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
  QCOMPARE(bench.page()->model()->rowOf(bench.sample->tasks[2]),
           static_cast<QSortFilterProxyModel*>(table->model())
               ->mapToSource(table->currentIndex())
               .row());
}

void RecombinationViewTest::isExported() {
  Bench bench;
  bench.open();
  QVERIFY(!bench.view->exports().table);
  bench.page()->samples()->setValue(12);
  bench.click(bench.page()->startButton());
  QTRY_COMPARE(bench.view->control().recombination().status, SessionStatus::Finished);
  for (const char* ending : {"png", "svg", "csv"}) {
    const QString file =
        bench.sample->folder.filePath(QStringLiteral("r.%1").arg(QLatin1String(ending)));
    QString problem = QStringLiteral("not done");
    exportTo(file, bench.view->exports(), QString(), bench.view.get(),
             [&](const QString& error) { problem = error; });
    QTRY_COMPARE(problem, QString());
    QVERIFY(QFile(file).size() > 500);
  }
  QFile csv(bench.sample->folder.filePath(QStringLiteral("r.csv")));
  QVERIFY(csv.open(QIODevice::ReadOnly));
  QStringList lines = QString::fromUtf8(csv.readAll()).split('\n', Qt::SkipEmptyParts);
  lines.removeIf([](const QString& line) { return line.startsWith('#'); });
  QCOMPARE(lines.size(), 1 + int(bench.view->control().recombination().samples.size()));
  QVERIFY(lines.front().contains(QStringLiteral("record of matmul 2")));
  QVERIFY(lines.join('\n').contains(QStringLiteral("winner")));
}

void RecombinationViewTest::theCommandPaletteDrivesIt() {
  Bench bench;
  bench.open();
  bench.machine.allowed = 3;
  const auto item = [&](const QString& title) {
    for (const PaletteItem& found : bench.view->paletteItems({}))
      if (found.title == title) return found;
    return PaletteItem{{}, {}, {}, {}, false};
  };
  QVERIFY(!item(QStringLiteral("Go On With the Recombination")).enabled);
  item(QStringLiteral("Recombine the Network")).run();
  QTRY_VERIFY(item(QStringLiteral("Pause the Recombination")).enabled);
  item(QStringLiteral("Pause the Recombination")).run();
  QTRY_COMPARE(bench.view->control().recombination().status, SessionStatus::Paused);
  QTRY_VERIFY(item(QStringLiteral("Stop the Recombination")).enabled);
  item(QStringLiteral("Stop the Recombination")).run();
  QTRY_COMPARE(bench.view->control().recombination().status, SessionStatus::Finished);
}

NW_TEST_GUI(RecombinationViewTest)

} // namespace nestwright::recombination_view_test

#include "recombination_view.moc"
