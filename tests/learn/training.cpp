#include "core/learn/samples.h"
#include "core/learn/train.h"
#include "core/support/clock.h"
#include "core/worker/quiet.h"
#include "tests/learn/example_programs.h"
#include "tests/learn/scored.h"
#include "tests/learn/with_learner.h"
#include "tests/model/held_out.h"
#include "tests/support/random_scale.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QtTest>

#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

namespace nestwright::training_test {

using test::pairwise;
using test::scores;

std::vector<std::size_t> range(std::size_t begin, std::size_t end) {
  std::vector<std::size_t> all(end - begin);
  std::iota(all.begin(), all.end(), begin);
  return all;
}

TrainingOptions optionsOf(Architecture architecture, int epochs) {
  TrainingOptions options = publishedTraining(architecture, Loss::LambdaRank);
  options.epochs = epochs;
  options.patience = 0;
  options.step.batch = 64;
  options.keep = Keep::Last;
  return options;
}

class Training : public QObject {
  Q_OBJECT

  Learner learner_;

 private Q_SLOTS:
  void init() { NW_NEED_LEARNER(); }

  void learnsByHeart_data() {
    QTest::addColumn<int>("architecture");
    for (const Architecture architecture :
         {Architecture::Mlp, Architecture::Lstm, Architecture::Tlp, Architecture::MtlTlp})
      QTest::newRow(name(architecture)) << static_cast<int>(architecture);
  }
  void learnsByHeart() {
    QFETCH(int, architecture);
    // Times that nothing explains: only memory helps.
    const DataSet set =
        test::examplePrograms({.programs = static_cast<std::size_t>(test::randomPrograms(120)),
                               .tasks = 1,
                               .leastRows = 1,
                               .mostRows = 2,
                               .allDifferent = true,
                               .shuffled = true});
    // All in one batch: a pair that is never in one is never learned.
    TrainingOptions options = optionsOf(static_cast<Architecture>(architecture), 150);
    options.length = 2;
    options.step.batch = static_cast<int>(set.size());
    options.step.learningRate *= 2;
    const TrainedNetwork trained = train(learner_, {set, {range(0, set.size()), {}}, options}, {});
    const double accuracy = pairwise(scores(learner_, trained, set.features), set);
    QVERIFY2(accuracy >= 0.99, qPrintable(QString::number(accuracy)));
  }

  void learnsOfOtherTasksUnlessLabelsAreShuffled() {
    for (const bool shuffled : {false, true}) {
      const DataSet set =
          test::examplePrograms({.programs = 2400, .tasks = 8, .shuffled = shuffled});
      const test::HeldOut split = test::everySecondTask(set);
      const TrainedNetwork trained =
          train(learner_, {set, {split.train, split.test}, optionsOf(Architecture::Mlp, 12)}, {});
      const DataSet unseen = select(set, split.test);
      const double accuracy = pairwise(scores(learner_, trained, unseen.features), unseen);
      qInfo("%s labels: pairwise accuracy %.3f on unseen tasks", shuffled ? "shuffled" : "true",
            accuracy);
      // 300 programs a task: chance has a deviation of some 0.01 over the tasks.
      QVERIFY(shuffled ? accuracy > 0.48 && accuracy < 0.52 : accuracy > 0.8);
    }
  }

  /// Threads change no bit of a score, and the other programs of a batch nothing but rounding.
  void scoresAreTheProgramsOwn_data() {
    QTest::addColumn<int>("architecture");
    for (const Architecture architecture :
         {Architecture::Mlp, Architecture::Lstm, Architecture::Tlp, Architecture::MtlTlp})
      QTest::newRow(name(architecture)) << static_cast<int>(architecture);
  }
  void scoresAreTheProgramsOwn() {
    QFETCH(int, architecture);
    const DataSet set = test::examplePrograms({.programs = 1500, .columns = 174, .leastRows = 1});
    TrainedNetwork trained;
    NetworkShape shape = publishedShape(static_cast<Architecture>(architecture), 174);
    if (shape.architecture == Architecture::Lstm) shape.length = 5;
    trained.network = freshNetwork(shape, 3);
    const std::vector<double> all = scores(learner_, trained, set.features);
    QVERIFY(scores(learner_, trained, set.features, 3) == all);
    for (const std::size_t size : {1, 2, 31, 700}) {
      std::vector<std::size_t> chosen;
      for (std::size_t i = 0; i < size; ++i)
        chosen.push_back((i * 37 + 11) % set.size());
      const std::vector<double> few = scores(learner_, trained, select(set.features, chosen));
      for (std::size_t i = 0; i < size; ++i)
        QVERIFY2(std::abs(few[i] - all[chosen[i]]) <= 1e-5 * (1 + std::abs(few[i])),
                 qPrintable(QString("%1 of %2").arg(i).arg(size)));
    }
  }

  void threadsChangeNothing() {
    const DataSet set = test::examplePrograms({.programs = 300});
    std::vector<float> expected;
    for (const int threads : {1, 2, 3}) {
      TrainingOptions options = optionsOf(Architecture::Tlp, 2);
      options.threads = threads;
      options.step.batch = 300;
      const TrainedNetwork trained = train(learner_, {set, {range(0, 300), {}}, options}, {});
      if (expected.empty()) expected = trained.network.weights;
      QVERIFY(trained.network.weights == expected);
    }
  }

  void watchedAsItLearns() {
    const DataSet set = test::examplePrograms({.programs = 400});
    TrainingOptions options = optionsOf(Architecture::Mlp, 6);
    options.keep = Keep::BestValidation;
    int told = 0;
    TrainingObserver observer;
    observer.epochEnded = [&](const EpochResult& result) {
      QCOMPARE(result.epoch, ++told);
      QVERIFY(result.top1 > 0 && result.top1 <= result.top5 && result.top5 <= 1);
      QVERIFY(result.trainingLoss > 0 && result.validationLoss > 0);
    };
    const auto [learned, validation] = test::somePrograms(set, 0.2, 1);
    const TrainedNetwork trained = train(learner_, {set, {learned, validation}, options}, observer);
    QCOMPARE(told, 6);
    const auto best = std::ranges::min_element(trained.curve, {}, &EpochResult::validationLoss);
    QCOMPARE(trained.kept, best->epoch);
    QCOMPARE(trained.tasks.size(), std::size_t{4});
    // A fine-tuning goes on from there, with the same normalisation.
    const TrainedNetwork tuned =
        train(learner_, {set, {range(0, 400), {}}, fineTuning(trained.options), &trained}, {});
    QVERIFY(tuned.network.maxima == trained.network.maxima);
    QCOMPARE(tuned.curve.size(), std::size_t{10});
  }

  void impossibleTrainingsAreRefused() {
    const DataSet set = test::examplePrograms({.programs = 40});
    TrainingOptions options = optionsOf(Architecture::Mlp, 1);
    options.keep = Keep::BestValidation;
    QVERIFY_THROWS_EXCEPTION(UsageError, train(learner_, {set, {range(0, 40), {}}, options}, {}));
    options.keep = Keep::Last;
    options.step.learningRate = -1;
    QVERIFY_THROWS_EXCEPTION(UsageError, train(learner_, {set, {range(0, 40), {}}, options}, {}));
    options = optionsOf(Architecture::Tlp, 40);
    options.step.optimiser = Optimiser::Sgd;
    options.step.learningRate = 10;
    options.step.loss = Loss::Mse;
    options.step.clip = 0;
    const std::string text = test::messageOf([&] {
      train(learner_, {set, {range(0, 40), {}}, options}, {});
    });
    QVERIFY2(text.find("diverges") != std::string::npos, text.c_str());
  }

  void stopsWithinASecond() {
    const DataSet set = test::examplePrograms({.programs = 3000});
    std::stop_source stop;
    TrainingOptions options = optionsOf(Architecture::Tlp, 1000);
    options.step.batch = 1024;
    auto asked = std::chrono::steady_clock::now();
    TrainingObserver observer;
    std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::seconds(2));
      asked = std::chrono::steady_clock::now();
      stop.request_stop();
    });
    QVERIFY_THROWS_EXCEPTION(LearnerStopped, train(learner_, {set, {range(0, 3000), {}}, options},
                                                   observer, stop.get_token()));
    QVERIFY2(secondsSince(asked) < 1, qPrintable(QString::number(secondsSince(asked))));
    QCOMPARE(learner_.pid(), -1);
  }

  void waitsWhileKernelsAreTimed() {
    const DataSet set = test::examplePrograms({.programs = 1000});
    std::atomic<int> batches = 0;
    std::stop_source stop;
    TrainingObserver observer;
    // Where an epoch is shorter than the time between two of its figures, its end is all there is.
    observer.progressed = [&](const TrainingProgress&) { ++batches; };
    observer.epochEnded = [&](const EpochResult&) { ++batches; };
    std::thread other([&] {
      try {
        train(learner_, {set, {range(0, 1000), {}}, optionsOf(Architecture::Mlp, 100000)}, observer,
              stop.get_token());
      } catch (const LearnerStopped&) { // as it is told below
      }
    });
    const auto end = qScopeGuard([&] {
      stop.request_stop();
      other.join();
    });
    QTRY_VERIFY_WITH_TIMEOUT(batches > 2, 60000);
    {
      const QuietHold hold = holdForTiming();
      QTest::qWait(300); // what was told before has arrived
      const int before = batches;
      QTest::qWait(1000);
      QCOMPARE(batches.load(), before);
    }
    const int before = batches;
    QTRY_VERIFY_WITH_TIMEOUT(batches > before + 2, 60000);
  }

  /// A session comes first, and has the other processors.
  void takesOneThreadWhileASessionRuns() {
    const DataSet set = test::examplePrograms({.programs = 1000});
    LearnerLaunch launch;
    launch.niceness = 10;
    Learner learner(launch);
    TrainingOptions options = optionsOf(Architecture::Mlp, 100000);
    options.threads = 4;
    options.step.batch = 512;
    std::atomic<int> epochs = 0;
    std::stop_source stop;
    TrainingObserver observer;
    observer.epochEnded = [&](const EpochResult&) { ++epochs; };
    learner.hello();
    const std::filesystem::path tasks = fmt::format("/proc/{}/task", learner.pid());
    std::thread other([&] {
      try {
        train(learner, {set, {range(0, 1000), {}}, options}, observer, stop.get_token());
      } catch (const LearnerStopped&) { // as it is told below
      }
    });
    const auto end = qScopeGuard([&] {
      stop.request_stop();
      other.join();
    });
    /// The most threads that are seen in some epochs.
    const auto mostThreads = [&] {
      std::ptrdiff_t most = 0;
      for (const int until = epochs + 10; epochs < until;)
        most = std::max(most, std::distance(std::filesystem::directory_iterator(tasks), {}));
      return most;
    };
    QTRY_VERIFY_WITH_TIMEOUT(epochs > 1, 60000);
    std::ptrdiff_t beside = 0;
    {
      const QuietHold session = holdForSession();
      const int before = epochs;
      QTRY_VERIFY_WITH_TIMEOUT(epochs > before + 1, 60000); // the batch of before is over
      beside = mostThreads();
    }
    const std::ptrdiff_t alone = mostThreads();
    QVERIFY2(alone > beside, qPrintable(QString("%1 and %2").arg(alone).arg(beside)));
  }

  /// Whenever the learner is killed, what is gone on with ends in the same weights.
  void killedAndResumed_data() {
    QTest::addColumn<int>("architecture");
    QTest::newRow("mlp") << static_cast<int>(Architecture::Mlp);
    QTest::newRow("mtl-tlp") << static_cast<int>(Architecture::MtlTlp);
  }
  void killedAndResumed() {
    QFETCH(int, architecture);
    QTemporaryDir folder;
    const DataSet set = test::examplePrograms({.programs = 300});
    TrainingOptions options = optionsOf(static_cast<Architecture>(architecture), 12);
    options.keep = Keep::BestValidation;
    const TrainingParts parts{range(0, 250), range(250, 300)};
    const auto beginning = std::chrono::steady_clock::now();
    const TrainedNetwork whole = train(learner_, {set, parts, options}, {});
    const double wholeSeconds = secondsSince(beginning);

    TrainingJob job{set, parts, options};
    job.checkpoint = folder.filePath("checkpoint").toStdString();
    job.resume = true;
    std::optional<TrainedNetwork> resumed;
    int kills = 0;
    for (std::uint64_t round = 0; !resumed; ++round) {
      Random random(round);
      Learner learner;
      learner.hello();
      const int pid = learner.pid();
      const std::chrono::duration<double> wait(wholeSeconds * (0.05 + 0.5 * random.unit()));
      std::jthread killer([&](const std::stop_token& done) {
        const auto begin = std::chrono::steady_clock::now();
        while (!done.stop_requested() && std::chrono::steady_clock::now() - begin < wait)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (!done.stop_requested() && round < 12) kill(pid, SIGKILL);
      });
      try {
        resumed = train(learner, job, {});
      } catch (const SystemError& error) {
        ++kills;
        QVERIFY2(QString(error.what()).contains("signal 9"), error.what());
      }
      killer.request_stop();
    }
    qInfo("killed %d times", kills);
    QVERIFY(kills > 0);
    QVERIFY(resumed->network.weights == whole.network.weights);
    QCOMPARE(resumed->kept, whole.kept);
    QVERIFY(networkOfCheckpoint(job.checkpoint).network.weights == whole.network.weights);
  }

  void checkpointsOfOtherTrainingsAreRefused() {
    QTemporaryDir folder;
    const DataSet set = test::examplePrograms({.programs = 60});
    TrainingJob job{set, {range(0, 60), {}}, optionsOf(Architecture::Mlp, 2)};
    job.checkpoint = folder.filePath("checkpoint").toStdString();
    job.resume = true;
    train(learner_, job, {});
    TrainingJob seeded = job;
    seeded.options.step.seed = 5;
    QVERIFY_THROWS_EXCEPTION(InputError, train(learner_, seeded, {}));
    TrainingJob smaller = job;
    smaller.parts.train.pop_back();
    QVERIFY_THROWS_EXCEPTION(InputError, train(learner_, smaller, {}));
    // More epochs of the same are no other training, and nor is another number of threads.
    TrainingJob longer = job;
    longer.options.epochs = 3;
    longer.options.threads = 2;
    longer.options.patience = 40;
    const TrainedNetwork first = train(learner_, longer, {});
    QCOMPARE(first.curve.size(), std::size_t{3});
    // It began with a fresh network, and is not gone on from as one that began with another.
    TrainingJob started = longer;
    started.startFrom = &first;
    QVERIFY_THROWS_EXCEPTION(InputError, train(learner_, started, {}));
    std::ofstream(job.checkpoint, std::ios::app) << "more";
    QVERIFY_THROWS_EXCEPTION(InputError, train(learner_, job, {}));
  }

  void eachEpochsNetworkIsTold() {
    const DataSet set = test::examplePrograms({.programs = 60});
    std::vector<TrainedNetwork> learned;
    TrainingObserver observer;
    observer.learned = [&](const TrainedNetwork& network) { learned.push_back(network); };
    // A program alone is always in order, so that the first epoch's network is kept.
    TrainingOptions options = optionsOf(Architecture::Mlp, 4);
    options.step.loss = Loss::LambdaRank;
    options.keep = Keep::BestValidation;
    const TrainedNetwork kept =
        train(learner_, {set, {range(0, 50), range(50, 51)}, options}, observer);
    QCOMPARE(kept.kept, 1);
    QCOMPARE(learned.size(), std::size_t{4});
    for (std::size_t i = 0; i < learned.size(); ++i) {
      QCOMPARE(learned[i].kept, static_cast<int>(i) + 1);
      QCOMPARE(learned[i].curve.size(), i + 1);
    }
    QVERIFY(learned[0].network.weights != learned[1].network.weights);
    const TrainedNetwork& same = learned.at(static_cast<std::size_t>(kept.kept) - 1);
    QVERIFY(same.network.weights == kept.network.weights);
  }

  void cutStepsAreTold() {
    const DataSet set = test::examplePrograms({.programs = 60});
    TrainingOptions options = optionsOf(Architecture::Tlp, 1);
    options.length = 6;
    std::string told;
    TrainingObserver observer;
    observer.warned = [&](const std::string& text) { told = text; };
    train(learner_, {set, {range(0, 60), {}}, options}, observer);
    QVERIFY2(told.find("more than 6 steps") != std::string::npos, told.c_str());
    QVERIFY2(told.find("--features steps,fit") != std::string::npos, told.c_str()); // what there is
  }
};

NW_TEST_GUILESS(Training)

} // namespace nestwright::training_test

#include "training.moc"
