/// Policies in processes of their own: what they propose is taken, what they do wrong costs nothing
/// but a message, and another process goes on where one was.

#include "core/exec_policy/exec_policy.h"

#include "tests/exec_policy/asked_task.h"
#include "tests/support/test_program.h"

#include <csignal>

namespace nestwright::exec_policy_test {

constexpr int kAsked = 8;

std::vector<std::string> ids(const Proposal& proposal) {
  std::vector<std::string> all;
  for (const Candidate& candidate : proposal.candidates)
    all.push_back(candidate.programId);
  return all;
}

/// Results of a round, as if measured: times by the program alone.
std::vector<ToldProgram> measured(const Proposal& proposal, int round, std::int64_t first) {
  std::vector<ToldProgram> programs;
  for (const Candidate& candidate : proposal.candidates) {
    ToldProgram& told = programs.emplace_back();
    told.trial = first++;
    told.round = round;
    told.programId = candidate.programId;
    told.steps = candidate.steps;
    told.sketch = candidate.trace.sketch;
    told.origin = candidate.trace.origin;
    told.label = candidate.trace.reason;
    told.verdict = "ok";
    told.seconds = 1e-3 * double(1 + candidate.programId.front() % 16);
    told.repeats = {told.seconds};
  }
  return programs;
}

/// Rounds of one task with all that a session keeps of them.
struct Rounds {
  test::AskedTask task;
  std::vector<ToldProgram> told;
  std::vector<PolicyTalk> talks;
  std::uint64_t nextDraw = 0;

  SearchContext context() {
    SearchContext context = task.context();
    context.round = int(talks.size()) + 1;
    context.firstDraw = nextDraw;
    context.talks = [this] { return talks; };
    context.measuredSince = [this](std::int64_t after) {
      std::vector<ToldProgram> since;
      for (const ToldProgram& program : told)
        if (program.trial > after) since.push_back(program);
      return since;
    };
    return context;
  }
  Proposal round(const SearchPolicy& policy) {
    const Proposal proposal = policy.propose(kAsked, context());
    nextDraw = proposal.nextDraw;
    const std::vector<ToldProgram> now =
        measured(proposal, int(talks.size()) + 1, std::int64_t(told.size()) + 1);
    told.insert(told.end(), now.begin(), now.end());
    for (const Candidate& candidate : proposal.candidates)
      task.measured.insert(candidate.programId);
    if (proposal.talk) talks.push_back(*proposal.talk);
    return proposal;
  }
};

class TestExecPolicy : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (test::python().empty()) QSKIP("there is no python3 here");
  }

  void namesSayWhichProgramAndStartNone() {
    QVERIFY(isExecPolicy("exec:x") && !isExecPolicy("random") && !isExecPolicy("execute"));
    QCOMPARE(execPolicyName({"/usr/bin/python3", "/home/me/my policy.py", "--depth=3"}),
             std::string("exec:python3 my policy.py --depth=3"));
    QCOMPARE(execPolicyName({"/bin/search", "--in=/home/me/space", "/home/me/space"}),
             std::string("exec:search --in=/home/me/space space")); // an option is no path
    QVERIFY(execPolicyName({std::string(500, 'x')}).size() <= 80);
    QCOMPARE(policyLaunchFromText("exec:a 'b c' d\\ e").command,
             (std::vector<std::string>{"a", "b c", "d e"}));
    QVERIFY_THROWS_EXCEPTION(UsageError, policyLaunchFromText("exec:"));
    QVERIFY_THROWS_EXCEPTION(UsageError, policyLaunchFromText("exec:a 'b"));
    const ExecPolicy policy({}, "exec:of a file");
    const test::AskedTask task;
    QVERIFY_THROWS_EXCEPTION(UsageError, policy.propose(kAsked, task.context()));
  }

  void proposalsAreTaken() {
    Rounds rounds;
    const ExecPolicy policy = test::policyOf({test::python(), test::exampleOf("random_policy.py")});
    std::set<std::string> programs;
    for (int round = 1; round <= 3; ++round) {
      const Proposal proposal = rounds.round(policy);
      const PolicyTalk& talk = *proposal.talk;
      QVERIFY2(talk.failure.empty(), talk.failure.c_str());
      QCOMPARE(talk.name, std::string("random example"));
      QCOMPARE(talk.round, round);
      QCOMPARE(talk.given, kAsked);
      QCOMPARE(proposal.candidates.size(), std::size_t(kAsked));
      QCOMPARE(talk.toldTrial, std::int64_t(kAsked) * (round - 1));
      for (const Candidate& candidate : proposal.candidates) {
        QCOMPARE(candidate.trace.origin, Origin::Proposed);
        QVERIFY(legalProgram(rounds.task.dag, candidate.steps, rounds.task.space));
        QVERIFY(programs.insert(candidate.programId).second);
      }
    }
    policy.rest();
  }

  void everyMisbehaviourCostsNothingButAMessage_data() {
    QTest::addColumn<QString>("mode");
    QTest::addColumn<int>("given"); // -1: some
    QTest::addColumn<QString>("told");
    const auto row = [](const char* mode, int given, const char* told) {
      QTest::newRow(mode) << QString::fromUtf8(mode) << given << QString::fromUtf8(told);
    };
    row("ends at once", 0, "exit code 3");
    row("cannot import", 0, "No module named 'no_such_module'");
    row("never greets", 0, "did not answer within 1 s");
    row("greets with garbage", 0, "\"Welcome to my policy!\" where a JSON object");
    row("other protocol", 0, "protocol \"7\"");
    row("no protocol", 0, "no protocol that it names");
    row("no name", 0, "did not say its \"name\"");
    // Its second line is there in time for one check or the other.
    row("greets twice", 0, "without being asked|where a message of the type");
    row("floods in advance", 0, "without being asked|\"0\" where a JSON object");
    row("never answers", 0, "did not answer within 1 s");
    row("garbage", 0, "\"thinking...\"");
    row("binary garbage", 0, "where a JSON object on one line was expected");
    row("a list", 0, "where a JSON object on one line was expected");
    row("of another type", 0, "where a message of the type \"candidates\"");
    row("without a list", 0, "has no list of \"candidates\"");
    row("nested deeply", 0, "a candidate is an object");
    row("floods", 0, "more than 1048576 bytes without the end of a line");
    row("floods standard error", kAsked, "it printed \"the last words\"");
    row("closes standard output", 0, "closed its standard output, or was killed");
    row("crashes", 0, "segmentation fault (signal 11)");
    row("raises", 0, "RuntimeError: no idea what to propose");
    row("ends in a line", 0, "its last words have no end of a line");
    row("leaves a child", 0, "did not answer within 1 s");
    row("the same for ever", 1, "it is in this round already");
    row("nothing", 0, "it had nothing to propose");
    row("far too many", kAsked, "proposed 8 programs");
    row("unknown sketch", 0, "there is no sketch 99");
    row("unknown decision", 0, "has no decision \"colour of C\"");
    row("impossible tiles", 0, "their product has to be");
    row("negative tiles", 0, "their product has to be");
    row("wrong types", 0, "a candidate is an object");
    row("illegal steps", 0, "refused: ");
  }
  void everyMisbehaviourCostsNothingButAMessage() {
    QFETCH(QString, mode);
    QFETCH(int, given);
    QFETCH(QString, told);
    Rounds rounds;
    // A slow machine may need more than that to start an interpreter: only those who are late wait.
    const double seconds = told.contains("did not answer") ? 1 : 20;
    const ExecPolicy policy = test::policyOf(
        {test::python(), NESTWRIGHT_SOURCE "/tests/exec_policy/misbehaving.py", mode.toStdString()},
        seconds);
    for (int round = 1; round <= 2; ++round) { // the second with whatever the first has left
      const Proposal proposal = rounds.round(policy);
      QVERIFY(!proposal.stopped && proposal.shortage.empty());
      QCOMPARE(proposal.candidates.size(), std::size_t(kAsked));
      int proposed = 0;
      for (const Candidate& candidate : proposal.candidates) {
        QVERIFY(legalProgram(rounds.task.dag, candidate.steps, rounds.task.space));
        const bool isIts = candidate.trace.origin == Origin::Proposed;
        proposed += isIts ? 1 : 0;
        // Those in the place of its are marked.
        if (!isIts)
          QVERIFY(candidate.trace.origin == Origin::RandomSample &&
                  candidate.trace.reason.starts_with("drawn at random in the place of"));
      }
      const PolicyTalk& talk = *proposal.talk;
      QCOMPARE(talk.given, proposed);
      const std::string text = sentence(talk);
      if (round == 2 && mode == "the same for ever") {
        QCOMPARE(proposed, 0);
        QVERIFY2(text.find("it was measured before") != std::string::npos, text.c_str());
        continue;
      }
      QCOMPARE(proposed, given);
      const QStringList any = told.split('|');
      QVERIFY2(
          std::ranges::any_of(
              any, [&](const QString& of) { return QString::fromStdString(text).contains(of); }),
          text.c_str());
      QVERIFY2(text.size() < 4000 && talk.printed.size() <= 16 << 10, text.c_str());
    }
    policy.rest();
  }

  void oneThatIsNotThere() {
    Rounds rounds;
    const ExecPolicy policy = test::policyOf({"/nonexistent/policy"});
    const Proposal proposal = rounds.round(policy);
    QCOMPARE(proposal.candidates.size(), std::size_t(kAsked));
    QVERIFY2(proposal.talk->failure.find("cannot start the policy '/nonexistent/policy'") == 0,
             proposal.talk->failure.c_str());
  }

  /// Reasons reach it in the next message, also over rounds.
  void reasonsComeBack() {
    Rounds rounds;
    const ExecPolicy policy = test::policyOf(
        {test::python(), NESTWRIGHT_SOURCE "/tests/exec_policy/misbehaving.py", "unknown sketch"});
    rounds.round(policy);
    rounds.round(policy);
    int asks = 0, withReasons = 0;
    for (const PolicyTalk& talk : rounds.talks)
      for (const TalkLine& line : talk.lines) {
        if (line.isFromIt || line.text.find("\"ask\"") == std::string::npos) continue;
        ++asks;
        withReasons += line.text.find("there is no sketch 99") != std::string::npos ? 1 : 0;
      }
    QCOMPARE(asks, 8); // four of each round
    QCOMPARE(withReasons, 7);
  }

  /// What it leaves open is drawn anew for each of its candidates, also behind one that is refused.
  void aRefusedDrawIsNotMadeAgain() {
    const ExecPolicy policy = test::policyOf(
        {test::python(), NESTWRIGHT_SOURCE "/tests/exec_policy/misbehaving.py", "leaves all open"});
    Rounds first, second;
    second.task.measured.insert(ids(first.round(policy)).front());
    const ExecPolicy another = test::policyOf(
        {test::python(), NESTWRIGHT_SOURCE "/tests/exec_policy/misbehaving.py", "leaves all open"});
    QCOMPARE(second.round(another).talk->given, kAsked);
  }

  /// A process that is started anew is told and asked all again, and proposes what the other would
  /// have: here each draw depends on every line before.
  void anotherProcessGoesOnWhereOneWas() {
    const std::vector<std::string> command = {test::python(), NESTWRIGHT_SOURCE
                                              "/tests/exec_policy/listening_policy.py"};
    Rounds whole, pieces;
    const ExecPolicy one = test::policyOf(command);
    for (int round = 1; round <= 5; ++round) {
      const ExecPolicy anew = test::policyOf(command);
      const std::vector<std::string> expected = ids(whole.round(one));
      QCOMPARE(ids(pieces.round(anew)), expected);
      QVERIFY2(pieces.talks.back().remarks == whole.talks.back().remarks,
               sentence(pieces.talks.back()).c_str());
      QVERIFY(whole.talks.back().given > 0);
    }
    QVERIFY(whole.talks == pieces.talks);
  }

  void oneThatDecidesOtherwiseIsTold() {
    Rounds rounds;
    const std::vector<std::string> command = {
        test::python(), NESTWRIGHT_SOURCE "/tests/exec_policy/listening_policy.py", "fickle"};
    rounds.round(test::policyOf(command));
    rounds.round(test::policyOf(command));
    const std::string text = sentence(rounds.talks.back());
    QVERIFY2(text.find("it is not deterministic") != std::string::npos, text.c_str());
  }

  /// Whoever waits for an answer can be called away.
  void waitingEndsWhenItIsStopped() {
    Rounds rounds;
    const ExecPolicy policy = test::policyOf(
        {test::python(), NESTWRIGHT_SOURCE "/tests/exec_policy/misbehaving.py", "never answers"},
        600);
    std::atomic<bool> stop = false;
    SearchContext context = rounds.context();
    context.stop = &stop;
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      stop = true;
    });
    const QElapsedTimer timer = [] {
      QElapsedTimer started;
      started.start();
      return started;
    }();
    const Proposal proposal = policy.propose(kAsked, context);
    later.join();
    QVERIFY(proposal.stopped);
    QVERIFY(timer.elapsed() < 60'000);
  }

  /// It hears of the last round, and good-bye; one that stays is ended.
  void itIsToldWhatCameOfTheLastRound() {
    QTemporaryDir folder;
    const QString heard = folder.filePath("heard");
    Rounds rounds;
    const ExecPolicy policy =
        test::policyOf({test::python(), NESTWRIGHT_SOURCE "/tests/exec_policy/listening_policy.py",
                        "writes", heard.toStdString()});
    rounds.round(policy);
    policy.learn("matmul", rounds.told);
    policy.rest();
    QFile file(heard);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray types = file.readAll(); // it is asked again for what was refused
    QVERIFY2(types.startsWith("hello ask ") && types.endsWith(" ask tell bye "), types);
    const ExecPolicy stays = test::policyOf(
        {test::python(), NESTWRIGHT_SOURCE "/tests/exec_policy/misbehaving.py", "stays"});
    const Proposal proposal = stays.propose(kAsked, rounds.context());
    QVERIFY(proposal.talk && proposal.talk->failure.empty()); // it is still there
    QElapsedTimer timer;
    timer.start();
    stays.rest();
    QVERIFY(timer.elapsed() < 30'000);
  }
};

NW_TEST_GUILESS(TestExecPolicy)

} // namespace nestwright::exec_policy_test

#include "exec_policy.moc"
