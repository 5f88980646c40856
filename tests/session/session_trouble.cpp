/// A session whose file cannot be written for a while pauses, loses nothing that it announced, and
/// goes on when it is started again.

#include "core/backend/device_error.h"
#include "core/record/store/store.h"
#include "core/session/run/trouble.h"
#include "core/support/process.h"
#include "tests/session/made_up_machine.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>
#include <sys/resource.h>

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <mutex>
#include <set>

namespace nestwright::session_trouble_test {

using namespace nestwright::made_up;

SessionConfig config(std::int64_t trials) {
  SessionConfig config;
  config.trials = trials;
  config.trialsPerRound = 8;
  config.seed = 3;
  return config;
}

/// What a session told, from its own thread.
class Told {
 public:
  Session::Observer observer() {
    return [this](const Event& event) {
      const std::lock_guard lock(mutex_);
      if (const auto* measured = std::get_if<Measured>(&event)) records_.insert(measured->record);
      if (const auto* state = std::get_if<StateChanged>(&event)) last_ = *state;
    };
  }
  std::set<RowId> records() {
    const std::lock_guard lock(mutex_);
    return records_;
  }
  std::string reason() {
    const std::lock_guard lock(mutex_);
    return last_.reason;
  }
  PauseCause cause() {
    const std::lock_guard lock(mutex_);
    return last_.cause;
  }

 private:
  std::mutex mutex_;
  std::set<RowId> records_;
  StateChanged last_;
};

/// No file of this process may grow beyond so many bytes: for its writer, a full disk.
void limitFiles(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

class SessionTrouble : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// As the programs begin: a write beyond the limit on files must not end them.
  void initTestCase() { prepareProcess(); }

  void pausesAndGoesOn_data() {
    QTest::addColumn<QString>("trouble");
    QTest::addColumn<QString>("word");
    QTest::newRow("full disk") << "full"
                               << "no more space is allowed on the disk";
    QTest::newRow("file moved away") << "moved"
                                     << "moved, deleted or replaced";
  }

  void pausesAndGoesOn() {
    QFETCH(QString, trouble);
    QFETCH(QString, word);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.nwdb"));
    const std::string file = path.toStdString(), away = file + ".away";
    const RowId id = makeSession(path, config(96));
    const bool full = trouble == QStringLiteral("full");
    Told told;
    int measured = 0;
    const auto measureUntilTrouble = [&](const auto& requests, const auto& onResult,
                                         const auto* stop) {
      constexpr int kProgramsBefore = 20;
      measured += int(requests.size());
      measureAll(requests, onResult, stop);
      if (measured < kProgramsBefore || measured - int(requests.size()) >= kProgramsBefore) return;
      // The next thing to store finds it.
      if (full)
        limitFiles(rlim_t(std::filesystem::file_size(file + "-wal")));
      else
        std::filesystem::rename(file, away);
    };
    Session session(file, id, told.observer(), measureUntilTrouble);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Paused);
    QVERIFY2(told.cause() == PauseCause::Trouble, told.reason().c_str());
    QVERIFY2(told.reason().find(word.toStdString()) != std::string::npos, told.reason().c_str());
    const std::set<RowId> promised = told.records();
    QVERIFY(promised.size() >= 16 && promised.size() < 96);
    if (full)
      limitFiles(RLIM_INFINITY);
    else
      std::filesystem::rename(away, file);
    {
      const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
      for (const RowId record : promised)
        QVERIFY(store.records().one(record));
      QVERIFY(store.records().total() <= std::int64_t(promised.size()) + 1);
      QCOMPARE(fmt::format("{}", store.check()), std::string("[]"));
    }
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RecordStore store = RecordStore::open(file, OpenMode::ReadOnly);
    QCOMPARE(store.records().total(), std::int64_t(96));
    QCOMPARE(fmt::format("{}", store.check()), std::string("[]"));
  }

  /// A device that others took, or that is gone: it is no program's fault, so none is judged, and
  /// what is decided is what it would have been.
  void aMissingDevicePausesAndGoesOn() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.nwdb")),
                  undisturbed = folder.filePath(QStringLiteral("b.nwdb"));
    const RowId id = makeSession(path, config(96));
    Told told;
    int measured = 0, refusals = 0;
    Session session(path.toStdString(), id, told.observer(),
                    [&](const auto& requests, const auto& onResult, const auto* stop) {
                      for (const MeasureRequest& request : requests) {
                        // In the middle of a round, before a naive program, and twice in a row.
                        const bool gone = (measured == 0 || measured == 21) && refusals < 4;
                        if (gone && (++refusals, true))
                          throw DeviceError(DeviceFault::Absent, "CUDA_ERROR_DEVICE_UNAVAILABLE",
                                            "another process has the device");
                        ++measured;
                        measureAll({request}, onResult, stop);
                      }
                    });
    std::int64_t before = -1;
    for (int pauses = 0; pauses < 4; ++pauses) {
      session.post(Start{});
      QCOMPARE(session.wait(), SessionStatus::Paused);
      QVERIFY2(told.cause() == PauseCause::Device, told.reason().c_str());
      QVERIFY(needsHelp(SessionStatus::Paused, told.cause()));
      QCOMPARE(QString::fromStdString(told.reason()),
               "nothing can be measured now: another process has the device");
      const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
      before = store.records().total();
      QCOMPARE(before, static_cast<std::int64_t>(told.records().size()));
      if (measured == 0) QCOMPARE(before, std::int64_t{0});
      if (pauses == 1) refusals = 2, measured = 1; // the device is there again
      if (pauses == 3) refusals = 4;
    }
    QVERIFY(before > 0 && before < 96);
    session.post(Start{});
    QCOMPARE(session.wait(), SessionStatus::Finished);
    const RowId other = makeSession(undisturbed, config(96));
    QCOMPARE(runToEnd(undisturbed, other), SessionStatus::Finished);
    QCOMPARE(decisions(path, id), decisions(undisturbed, other));
    QCOMPARE(pauseCauseFromName(name(PauseCause::Device)), PauseCause::Device);
  }

  /// The program ends while its disk is full: it must not fall over its last words.
  void closingOnAFullDiskEndsInPeace() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.nwdb"));
    const RowId id = makeSession(path, config(100'000));
    {
      Told told;
      Session session(path.toStdString(), id, told.observer(), measureAll);
      session.post(Start{});
      QTRY_VERIFY(told.records().size() > 20);
      limitFiles(1);
    }
    limitFiles(RLIM_INFINITY);
    const RecordStore store = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
    QVERIFY(store.records().total() > 20);
    QCOMPARE(fmt::format("{}", store.check()), std::string("[]"));
  }
};

NW_TEST_GUILESS(SessionTrouble)

} // namespace nestwright::session_trouble_test

#include "session_trouble.moc"
