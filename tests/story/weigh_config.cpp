/// What is said of a configuration before it is measured.

#include "core/story/decisions/weigh_config.h"

#include "core/plugin/target_named.h"
#include "core/record/store/task_rows.h"
#include "core/session/run/session.h"
#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

namespace nestwright::weigh_config_test {

class WeighConfig : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void saysWhatAGpuCannotRun() {
    const QTemporaryDir folder;
    RecordStore store =
        RecordStore::open(folder.filePath("a.nwdb").toStdString(), OpenMode::Create);
    SessionConfig session;
    session.subjects = {"batch_matmul:b=1,m=64,n=64,k=8"};
    session.target = "cuda:sm_90";
    session.space = SearchSpace::Templates;
    session.policy = "random";
    const RowId id = createSession(store, session, targetNamed(session.target));
    const auto weigh = [&](std::int64_t threads) {
      TemplateConfig config{"batch_matmul.cuda",
                            TemplateVersion::V0_11,
                            {{"tile_y", SplitEntity{{-1, threads, 1}}},
                             {"tile_x", SplitEntity{{-1, 32, 1}}},
                             {"tile_k", SplitEntity{{-1, 8}}},
                             {"auto_unroll_max_step", OptionEntity{std::int64_t{8}}},
                             {"unroll_explicit", OptionEntity{std::int64_t{0}}}}};
      return weighConfig(store, {id, store.tasks().all().at(0).id, std::move(config)});
    };
    const ConfigOutcome legal = weigh(16), illegal = weigh(64);
    QCOMPARE(legal.impossible, std::string());
    QVERIFY(!legal.programId.empty());
    QVERIFY2(illegal.impossible.find("2048 threads in a block, more than 1024") !=
                 std::string::npos,
             illegal.impossible.c_str());
    QVERIFY(illegal.programId.empty());
  }
};

NW_TEST_APPLESS(WeighConfig)

} // namespace nestwright::weigh_config_test

#include "weigh_config.moc"
