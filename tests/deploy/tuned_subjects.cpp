/// What of a file can be deployed, and how much of it is tuned.

#include "core/deploy/tuned_subjects.h"

#include "core/deploy/deployment.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/session/run/row_contents.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::tuned_subjects_test {

class TunedSubjects : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachIsThereOnceTheNewestFirst() {
    const QTemporaryDir folder;
    RecordStore store =
        RecordStore::open(folder.filePath("file.nwdb").toStdString(), OpenMode::Create);
    QCOMPARE(tunedSubjects(store), std::vector<TunedSubject>());
    const std::string small = "matmul:m=16,n=16,k=16", network = "resnet18";
    SessionConfig config;
    config.subjects = {small, network};
    config.measure.threads = 3;
    at(store, createSession(store, config, hostTarget(3)), 1);
    config.subjects = {"resnet18#3"};
    at(store, createSession(store, config, hostTarget(3)), 2);
    config.subjects = {small};
    config.target = "llvm:avx2";
    config.measure.threads = 1;
    const RowId newest = createSession(store, config, hostTarget(1));
    at(store, newest, 3);
    // A polish names its task in words; what cannot be read is left out.
    SessionRow polish = *store.sessions().one(newest);
    config.subjects = {"Conv 3x3 64->64 on 56x56"};
    polish.id = 0;
    polish.config = toJson(config).dump();
    at(store, store.sessions().add(polish), 4);
    polish.config = "{";
    at(store, store.sessions().add(polish), 5);

    const std::vector<TunedSubject> found = tunedSubjects(store);
    QCOMPARE(found.size(), 3U);
    QVERIFY(found[0].spec.starts_with("matmul:"));
    QCOMPARE(found[0].name, std::string("matmul"));
    QCOMPARE(found[0].instructionSet, InstructionSet::Avx2);
    QCOMPARE(found[0].cores, 1);
    QVERIFY(found[1].spec.starts_with("resnet18:") && found[1].spec.ends_with("#3"));
    QVERIFY(found[2].spec.starts_with("resnet18:"));
    QCOMPARE(found[2].cores, 3);
    QCOMPARE(found[2].instructionSet, InstructionSet::Native);
  }

  /// Beside the same operator for processors; without a known device there is nothing to name.
  void aGpusAreNamedByTheArchitecture() {
    const QTemporaryDir folder;
    RecordStore store =
        RecordStore::open(folder.filePath("gpu.nwdb").toStdString(), OpenMode::Create);
    SessionConfig config;
    config.subjects = {"matmul:m=16,n=16,k=16"};
    config.measure.threads = 3;
    at(store, createSession(store, config, hostTarget(3)), 1);
    config.target = "cuda";
    GpuFacts gpu;
    gpu.name = "H100";
    gpu.architecture = {9, 0};
    at(store, createSession(store, config, cudaTarget(gpu)), 2);
    SessionRow unknown = store.sessions().all().back();
    unknown.id = 0;
    at(store, store.sessions().add(unknown), 3);
    const std::vector<TunedSubject> found = tunedSubjects(store);
    QCOMPARE(found.size(), 2U);
    QCOMPARE(found[0].target, std::string("cuda:sm_90"));
    QCOMPARE(found[0].cores, 0);
    QCOMPARE(found[1].target, std::string("llvm"));
    QCOMPARE(found[1].cores, 3);
  }

  void sharesAreOfWhatIsSearched() {
    DeployedVariant variant;
    QCOMPARE(variant.tunedWork(), 1.0);
    QVERIFY(!variant.tunedTime());
    DeployedTask tuned, untuned, moving;
    tuned.weight = 2;
    tuned.flops = 30;
    tuned.origin = TuningOrigin::Here;
    tuned.record = 1;
    tuned.seconds = 1;
    tuned.naiveSeconds = 100;
    untuned.flops = 40;
    untuned.naiveSeconds = 8;
    moving.tunable = false;
    moving.flops = 1000;
    variant.tasks = {tuned, untuned, moving};
    QCOMPARE(variant.tunedWork(), 0.6);
    QCOMPARE(variant.tunedTime().value(), 0.2);
    variant.tasks[1].naiveSeconds = 0;
    QVERIFY(!variant.tunedTime()); // nobody knows how long it takes
    QCOMPARE(variant.tunedWork(), 0.6);
    // A library is tuned as far as the variant with the least.
    Deployment deployment;
    deployment.variants = {DeployedVariant(), variant};
    QCOMPARE(deployment.coverage(), 0.5);
  }

  void enoughIsWhatTheOptionsSay() {
    DeployOptions options;
    QCOMPARE(options.leastTuned(), 1.0);
    options.allowNaive = true;
    QCOMPARE(options.leastTuned(), 0.0);
    options.requireTuned = 0.5;
    QCOMPARE(options.leastTuned(), 0.5);
  }

 private:
  static void at(RecordStore& store, RowId session, std::int64_t moment) {
    SessionRow row = *store.sessions().one(session);
    row.createdAt = moment;
    store.sessions().update(row);
  }
};

NW_TEST_GUILESS(TunedSubjects)

} // namespace nestwright::tuned_subjects_test

#include "tuned_subjects.moc"
