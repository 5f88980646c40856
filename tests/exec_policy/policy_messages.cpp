/// The lines of the conversation with policies in processes of their own.

#include "core/exec_policy/policy_messages.h"

#include "tests/exec_policy/asked_task.h"
#include "tests/support/test_program.h"

namespace nestwright::policy_messages_test {

using nlohmann::json;

json candidate(const json& of) {
  return {{"type", "candidates"}, {"candidates", json::array({of})}};
}

class PolicyMessages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theHelloHasTheTaskAndItsDecisions() {
    const test::AskedTask task;
    const std::string line = helloLine(task.context(), 20);
    QVERIFY(line.find('\n') == std::string::npos);
    const json hello = json::parse(line);
    QCOMPARE(hello.at("protocol").get<int>(), kPolicyProtocol);
    QCOMPARE(hello.at("seed").get<std::uint64_t>(), std::uint64_t(20261126));
    QCOMPARE(hello.at("task").at("key").get<std::string>(), std::string("matmul"));
    QVERIFY(!hello.at("task").at("dag").get<std::string>().empty());
    QCOMPARE(hello.at("target").at("cores").get<int>(), 2);
    QCOMPARE(hello.at("sketches").size(), task.sketches.size());
    std::set<std::string> kinds;
    int bounded = 0; // tiles whose innermost part has a limit
    for (std::size_t i = 0; i < task.sketches.size(); ++i) {
      const json& sketch = hello.at("sketches").at(i);
      QCOMPARE(stepsFromJson(sketch.at("steps")), task.sketches[i].state.steps());
      for (const json& decision : sketch.at("decisions")) {
        kinds.insert(decision.at("kind").get<std::string>());
        if (const auto most = decision.find("innermost_at_most"); most != decision.end()) {
          QCOMPARE(most->get<std::int64_t>(), std::int64_t(task.space.maxInnermostFactor));
          ++bounded;
        }
        if (decision.at("kind") == "tile size")
          QVERIFY(decision.at("parts").size() > 1 && decision.at("extent") == 64);
        else
          QVERIFY(decision.at("values").size() > 1);
      }
    }
    QVERIFY(kinds.contains("tile size") && kinds.contains("unroll") && kinds.contains("parallel") &&
            kinds.contains("vectorize"));
    QVERIFY(bounded > 0);
  }

  void questionsAndResultsAreLines() {
    const json first = json::parse(askLine(3, 16, ""));
    QCOMPARE(first.at("round").get<int>(), 3);
    QCOMPARE(first.at("count").get<int>(), 16);
    QVERIFY(first.at("problems").is_array() && first.at("problems").empty());
    const json next =
        json::parse(askLine(3, 2, toText(std::vector<PolicyProblem>{{4, "it was \"measured\""}})));
    QCOMPARE(next.at("problems").at(0).at("candidate").get<int>(), 4);
    QCOMPARE(next.at("problems").at(0).at("reason").get<std::string>(),
             std::string("it was \"measured\""));

    const test::AskedTask task;
    Random random(1);
    const SampledProgram drawn = decidedProgram(task.sketches[1], task.space, {}, random);
    QVERIFY2(drawn.state, drawn.failure.c_str());
    ToldProgram good, bad;
    good.trial = 7;
    good.steps = drawn.state->steps();
    good.sketch = 1;
    good.origin = Origin::Proposed;
    good.label = "my number 4";
    good.verdict = "ok";
    good.seconds = 0.25;
    good.repeats = {0.25, 0.26};
    bad = good;
    bad.sketch = -1;
    bad.verdict = "run error";
    bad.seconds = std::numeric_limits<double>::infinity();
    bad.repeats.clear();
    bad.error = "segmentation fault\n(signal 11)";
    const json results = json::parse(tellLine({good, bad}, task.context())).at("results");
    QCOMPARE(results.at(0).at("seconds").get<double>(), 0.25);
    QCOMPARE(results.at(0).at("label").get<std::string>(), std::string("my number 4"));
    QCOMPARE(results.at(0).at("sketch").get<int>(), 1);
    QVERIFY(results.at(0).at("decisions").size() > 3);
    QVERIFY(results.at(1).at("seconds").is_null() && !results.at(1).contains("decisions"));
    QCOMPARE(stepsFromJson(results.at(1).at("steps")), good.steps);
  }

  void candidatesAreRead() {
    const json of = {
        {"sketch", 1},
        {"decisions",
         {{"tiles of i of C", {2, 4, 8}}, {"unroll of C", 16}, {"place of B", "root"}}},
        {"label", "mine"}};
    const ProposedProgram program = candidatesIn(candidate(of).dump()).at(0);
    QVERIFY2(program.problem.empty(), program.problem.c_str());
    QCOMPARE(program.sketch, std::int64_t(1));
    QCOMPARE(program.label, std::string("mine"));
    QVERIFY(program.decisions.at("tiles of i of C") ==
            DecisionValue(std::vector<std::int64_t>{2, 4, 8}));
    QVERIFY(program.decisions.at("unroll of C") == DecisionValue(std::int64_t(16)));
    QVERIFY(program.decisions.at("place of B") == DecisionValue(std::string("root")));
    const json steps = {{"steps", {{"AN", 2, 0, 3}}}};
    QCOMPARE(candidatesIn(candidate(steps).dump()).at(0).steps->size(), std::size_t(1));
    QVERIFY(candidatesIn(R"({"type": "candidates", "candidates": []})").empty());
  }

  void programsHaveAThousandStepsAtMost() {
    const auto of = [](int count) {
      json steps = json::array();
      for (int i = 0; i < count; ++i)
        steps.push_back({"AN", 2, 0, 3});
      return candidatesIn(candidate({{"steps", steps}}).dump()).at(0);
    };
    QCOMPARE(of(1000).steps->size(), std::size_t(1000));
    QVERIFY(of(1001).problem.find("1000 steps at most") != std::string::npos);
  }

  /// One bad candidate is a problem of its own.
  void whatIsNoCandidateSaysWhy_data() {
    QTest::addColumn<QString>("of");
    QTest::addColumn<QString>("problem");
    const auto row = [](const char* of, const char* problem) {
      QTest::newRow(of) << QString::fromUtf8(of) << QString::fromUtf8(problem);
    };
    row("3", "a candidate is an object");
    row("{}", "the number of its \"sketch\", or \"steps\"");
    row(R"({"sketch": 0.5})", "the number of its \"sketch\"");
    row(R"({"sketch": 0, "decisions": 1})", "\"decisions\" are an object");
    row(R"({"sketch": 0, "decisions": {"a": 1.5}})", "\"a\" is a whole number");
    row(R"({"sketch": 0, "decisions": {"a": [1, null]}})", "\"a\" are a list of whole numbers");
    row(R"({"sketch": 0, "label": 1})", "\"label\" is a text");
    row(R"({"steps": 1})", "\"steps\" are a list");
    row(R"({"steps": [["QQ", 1]]})", "QQ");
  }
  void whatIsNoCandidateSaysWhy() {
    QFETCH(QString, of);
    QFETCH(QString, problem);
    const ProposedProgram program =
        candidatesIn(candidate(json::parse(of.toStdString())).dump()).at(0);
    QVERIFY2(program.problem.find(problem.toStdString()) != std::string::npos,
             program.problem.c_str());
  }

  void whatIsNoAnswerEndsTheConversation_data() {
    QTest::addColumn<QByteArray>("line");
    for (const char* line : {"", "hello", "[]", "{}", "{\"type\": 3}", "{\"type\": \"hello\"",
                             "{\"type\": \"candidates\"}", "\xff\xfe"})
      QTest::newRow(line) << QByteArray(line);
    QTest::newRow("deep") << QByteArray(500'000, '[');
  }
  void whatIsNoAnswerEndsTheConversation() {
    QFETCH(QByteArray, line);
    QVERIFY_THROWS_EXCEPTION(PolicyFailure, nameInHello(line.toStdString()));
    QVERIFY_THROWS_EXCEPTION(PolicyFailure, candidatesIn(line.toStdString()));
  }
};

NW_TEST_APPLESS(PolicyMessages)

} // namespace nestwright::policy_messages_test

#include "policy_messages.moc"
