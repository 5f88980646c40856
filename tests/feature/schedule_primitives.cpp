/// Steps as rows of numbers: TLP's own matrices (tests/data/tlp-primitives.json), random programs
/// beside a slow form of the same thing, vocabularies, and what is cut or not known.

#include "core/feature/schedule_primitives.h"

#include "core/network/graph/workloads.h"
#include "core/space/survey.h"
#include "tests/space/gpu_tasks.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>

namespace nestwright::schedule_primitives_test {

using namespace nestwright::test;
using nlohmann::json;

using Rows = std::vector<std::vector<float>>;

json oracle() {
  std::ifstream file(NESTWRIGHT_TEST_DATA "/tlp-primitives.json");
  return json::parse(file);
}

/// A line of a task's records.
Steps recordedSteps(const std::string& task, int line) {
  std::ifstream file(NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/" + task + ".steps.txt");
  std::string text;
  for (int i = 0; i <= line; ++i)
    std::getline(file, text);
  return stepsFromJson(json::parse(text));
}

Rows rowsOf(const PrimitiveEncoder& encoder, const Steps& steps, PrimitiveCounts& counts) {
  std::vector<float> values;
  encoder.append(steps, values, counts);
  Rows rows;
  const auto width = static_cast<std::ptrdiff_t>(encoder.shape().columns);
  for (auto row = values.begin(); row != values.end(); row += width)
    rows.emplace_back(row, row + width);
  return rows;
}

/// The numbers of an item of a record, wherever it stands.
void flatten(const json& item, int token, std::vector<float>& row) {
  if (item.is_array())
    for (const json& inner : item)
      flatten(inner, token, row);
  else if (item.is_string())
    row.push_back(static_cast<float>(token));
  else
    row.push_back(item.get<float>());
}

/// From the steps' JSON, step by step, and cut at the end.
Rows simpleRows(const json& steps, const PrimitiveVocabulary& vocabulary,
                const PrimitiveShape& shape) {
  Rows rows;
  for (const json& step : steps) {
    std::vector<float> row(vocabulary.kinds.size());
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < vocabulary.kinds.size(); ++k)
      if (step[0] == vocabulary.kinds[k].tag) {
        row[k] = 1;
        texts = vocabulary.kinds[k].texts;
      }
    int token = 0;
    for (std::size_t i = 1; i < step.size(); ++i)
      for (std::size_t t = 0; t < texts.size(); ++t)
        if (step[i] == texts[t]) token = static_cast<int>(t) + 1;
    for (std::size_t i = 1; i < step.size(); ++i)
      flatten(step[i], token, row);
    row.resize(shape.columns);
    rows.push_back(row);
  }
  rows.resize(std::min(rows.size(), shape.steps));
  return rows;
}

std::vector<State> randomPrograms(bool gpu, std::size_t count) {
  std::vector<State> programs;
  const SpaceOptions space = gpu ? sm90(Draws::Own) : spaceOptionsFor(hostTarget(2), Draws::Own);
  for (const char* task : {"matmul:m=64,n=64,k=64", "conv2d:n=1,h=14,w=14,ci=32,co=32,k=3,s=1,p=1",
                           "softmax:m=64,n=100", "norm"}) {
    const ComputeDag dag = parseTaskSpec(task).dag;
    Survey survey = surveyPrograms(task, generateSketches(dag, space), space, 7, count);
    programs.insert(programs.end(), survey.programs.begin(), survey.programs.end());
  }
  return programs;
}

class SchedulePrimitives : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void publishedDictionaryIsTheOracles() {
    const json expected = oracle();
    const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    const PrimitiveShape shape = publishedShape(vocabulary, false);
    QCOMPARE(shape.steps, expected["sequence"].get<std::size_t>());
    QCOMPARE(shape.columns, expected["embedding"].get<std::size_t>());
    QCOMPARE(vocabulary.kinds.size(), expected["one_hot_order"].size());
    for (std::size_t k = 0; k < vocabulary.kinds.size(); ++k)
      QCOMPARE(vocabulary.kinds[k].tag, expected["one_hot_order"][k].get<std::string>());
    for (const auto& [kind, tokens] : {std::pair("PR", expected["unroll_tokens"]),
                                       std::pair("CHW", expected["cache_write_tokens"])})
      for (const auto& [text, token] : tokens.items())
        QCOMPARE(vocabulary.token(*vocabulary.place(kind), text), token.get<int>());
  }

  void publishedDictionaryOfGpus() {
    const PrimitiveVocabulary vocabulary = publishedVocabulary(true);
    QCOMPARE(vocabulary.kinds.size(), std::size_t{11});
    QCOMPARE(publishedShape(vocabulary, true), (PrimitiveShape{40, 20}));
    QCOMPARE(*vocabulary.place("CHR"), std::size_t{1});
    QCOMPARE(*vocabulary.place("FSP"), std::size_t{10});
    QVERIFY(!vocabulary.place("RF") && !vocabulary.place("CR"));
    QCOMPARE(vocabulary.token(*vocabulary.place("PR"), "auto_unroll_max_step$1024"), 4);
    QCOMPARE(vocabulary.token(*vocabulary.place("CHR"), "shared"), 1);
  }

  void matricesAreTheOracles_data() {
    QTest::addColumn<int>("program");
    const json programs = oracle()["programs"];
    for (std::size_t i = 0; i < programs.size(); ++i)
      QTest::addRow("%s %d", programs[i]["task"].get<std::string>().c_str(),
                    programs[i]["line"].get<int>())
          << static_cast<int>(i);
  }

  void matricesAreTheOracles() {
    QFETCH(int, program);
    const json expected = oracle()["programs"][static_cast<std::size_t>(program)];
    const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    const PrimitiveShape shape = publishedShape(vocabulary, false);
    const Steps steps =
        recordedSteps(expected["task"].get<std::string>(), expected["line"].get<int>());
    PrimitiveCounts counts;
    QCOMPARE(rowsOf({vocabulary, shape}, steps, counts), expected["rows"].get<Rows>());
    QVERIFY(counts.unknown.empty());
    QCOMPARE(counts.steps, expected["rows"].size());

    PrimitiveCensus census;
    census.add(steps);
    QCOMPARE(census.shape(vocabulary, 1),
             (PrimitiveShape{expected["rows"].size(), expected["widest"].get<std::size_t>()}));
  }

  void randomPrograms_data() {
    QTest::addColumn<bool>("gpu");
    QTest::addRow("processor") << false;
    QTest::addRow("GPU") << true;
  }

  /// Every kind of step that the space has, with the published vocabulary and a learned one, cut
  /// and whole: as the records' JSON says it.
  void randomPrograms() {
    QFETCH(bool, gpu);
    const std::vector<State> programs = schedule_primitives_test::randomPrograms(gpu, 60);
    QVERIFY(programs.size() >= 200);
    PrimitiveVocabulary learned;
    PrimitiveCensus census;
    for (const State& program : programs) {
      learn(learned, program.steps());
      census.add(program.steps());
    }
    const PrimitiveVocabulary published = publishedVocabulary(gpu);
    for (const PrimitiveVocabulary& vocabulary : {published, learned})
      for (const PrimitiveShape& shape :
           {publishedShape(vocabulary, gpu), census.shape(vocabulary, 1), PrimitiveShape{3, 16}}) {
        const PrimitiveEncoder encoder(vocabulary, shape);
        PrimitiveCounts counts;
        for (const State& program : programs)
          QCOMPARE(rowsOf(encoder, program.steps(), counts),
                   simpleRows(toJson(program.steps()), vocabulary, shape));
        QCOMPARE(counts.programs, programs.size());
        if (vocabulary == learned) QVERIFY(counts.unknown.empty());
        if (shape == census.shape(vocabulary, 1)) {
          QCOMPARE(counts.longPrograms + counts.wideSteps, std::size_t{0});
          QVERIFY(cutWarning(counts, shape).empty());
        }
      }
  }

  void learnsInOrderOfAppearance() {
    PrimitiveVocabulary vocabulary;
    learn(vocabulary, {SplitStep{0, 0, 8, {2}, true}, PragmaStep{0, 0, "auto_unroll_max_step$64"},
                       PragmaStep{0, 1, "auto_unroll_max_step$0"}, CacheWriteStep{1, "local"}});
    learn(vocabulary, {PragmaStep{0, 1, "auto_unroll_max_step$0"}, StorageAlignStep{0, 1, 32, 8},
                       PragmaStep{0, 1, "pipeline_stages$2"}, CacheReadStep{1, "shared", {2, 3}}});
    const PrimitiveVocabulary expected = {
        {{"SP", {}},
         {"PR", {"auto_unroll_max_step$64", "auto_unroll_max_step$0", "pipeline_stages$2"}},
         {"CHW", {"local"}},
         {"SA", {}},
         {"CHR", {"shared"}}}};
    QCOMPARE(vocabulary, expected);
    QCOMPARE(primitiveVocabularyFromJson(toJson(vocabulary)), expected);
  }

  /// What TLP's dictionary does not have gets columns of its own in training; nothing that was
  /// there moves.
  void furtherKindsGetRoom() {
    const PrimitiveVocabulary published = publishedVocabulary(false);
    PrimitiveVocabulary wider = published;
    learn(wider, {StorageAlignStep{2, 1, 32, 8}});
    QCOMPARE(wider.kinds.size(), std::size_t{12});
    QVERIFY(std::equal(published.kinds.begin(), published.kinds.end(), wider.kinds.begin()));
    const PrimitiveShape shape = publishedShape(wider, false);
    QCOMPARE(shape, (PrimitiveShape{25, 23}));
    PrimitiveCounts counts;
    const Rows rows = rowsOf({wider, shape}, {StorageAlignStep{2, 1, 32, 8}}, counts);
    std::vector<float> expected(23);
    expected[11] = 1, expected[12] = 2, expected[13] = 1, expected[14] = 32, expected[15] = 8;
    QCOMPARE(rows, Rows{expected});
  }

  void unknownStepsAreCounted() {
    const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    const PrimitiveEncoder encoder(vocabulary, publishedShape(vocabulary, false));
    PrimitiveCounts counts;
    const Rows rows = rowsOf(encoder,
                             {StorageAlignStep{2, 1, 32, 8}, StorageAlignStep{3, 1, 32, 8},
                              PragmaStep{0, 0, "auto_unroll_max_step$1024"}},
                             counts);
    std::vector<float> align(22), pragma(22);
    align[11] = 2, align[12] = 1, align[13] = 32, align[14] = 8;
    pragma[10] = 1; // the stage, the loop and the token are 0
    QCOMPARE(rows[0], align);
    QCOMPARE(rows[2], pragma);
    PrimitiveCounts more = counts;
    more += counts;
    QCOMPARE(unknownText(more), std::string("the model knows no such steps: PR "
                                            "auto_unroll_max_step$1024 (2), SA (4)"));
    QCOMPARE(unseenText(more, encoder.shape()), unknownText(more)); // nothing is cut
    QCOMPARE(unseenText({}, encoder.shape()), std::string());
  }

  void whatIsCutIsSaid() {
    const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    const PrimitiveShape shape{4, 22};
    const PrimitiveEncoder encoder(vocabulary, shape);
    const Steps few(4, Step(ComputeInlineStep{1})), many(5, Step(ComputeInlineStep{1}));
    const Steps wide = {ReorderStep{0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}};
    std::vector<float> rows;
    PrimitiveCounts counts;
    for (int i = 0; i < 19; ++i)
      encoder.append(few, rows, counts);
    encoder.append(many, rows, counts); // 1 of 20 programs: 5 %
    QCOMPARE(cutWarning(counts, shape), std::string());
    encoder.append(many, rows, counts);
    encoder.append(wide, rows, counts);
    QCOMPARE(counts.wideSteps, std::size_t{1});
    QCOMPARE(
        cutWarning(counts, shape),
        std::string("9.1 % of the programs have more than 4 steps; what is beyond is not seen: a "
                    "model that is trained with as many as the data has would see it (--features "
                    "steps,fit)"));
    QCOMPARE(unseenText(counts, shape), cutWarning(counts, shape)); // all is known
    for (int i = 0; i < 9; ++i)
      encoder.append(wide, rows, counts);
    QVERIFY(cutWarning(counts, shape).find("of the steps need more than 22 columns") !=
            std::string::npos);
  }

  /// L and E that show 99 of 100 programs whole, and 99 of 100 steps.
  void shapeOfPercentiles() {
    PrimitiveCensus census;
    for (int i = 0; i < 99; ++i)
      census.add(Steps(10, Step(ComputeInlineStep{1})));
    census.add(Steps(30, Step(SplitStep{0, 0, 8, {1, 2, 2}, true})));
    const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    QCOMPARE(census.shape(vocabulary), (PrimitiveShape{10, 18})); // 30 of 1,020 steps have 7
    QCOMPARE(census.shape(vocabulary, 0.95), (PrimitiveShape{10, 12}));
    QCOMPARE(census.shape(vocabulary, 1), (PrimitiveShape{30, 18}));
    QCOMPARE(PrimitiveCensus().shape(vocabulary), (PrimitiveShape{1, 12}));
  }

  void refusals() {
    const PrimitiveVocabulary vocabulary = publishedVocabulary(false);
    QVERIFY_THROWS_EXCEPTION(InputError, PrimitiveEncoder(vocabulary, {25, 11}));
    QVERIFY_THROWS_EXCEPTION(InputError, PrimitiveEncoder(vocabulary, {0, 22}));
    const PrimitiveEncoder encoder(vocabulary, publishedShape(vocabulary, false));
    std::vector<float> rows;
    PrimitiveCounts counts;
    QVERIFY_THROWS_EXCEPTION(
        IllegalSchedule,
        encoder.append({SplitStep{0, 0, 8, {std::nullopt, 2}, true}}, rows, counts));
    QVERIFY(rows.empty());
    QCOMPARE(counts.programs, std::size_t{0});
    for (const char* text :
         {"[]", R"({"kinds": 3})", R"({"kinds": [{"tag": "XX", "texts": []}]})",
          R"({"kinds": [{"tag": "SP", "texts": []}, {"tag": "SP", "texts": []}]})",
          R"({"kinds": [{"tag": "PR", "texts": ["a", "a"]}]})"})
      QVERIFY_THROWS_EXCEPTION(InputError, primitiveVocabularyFromJson(json::parse(text)));
  }
};

NW_TEST_APPLESS(SchedulePrimitives)

} // namespace nestwright::schedule_primitives_test

#include "schedule_primitives.moc"
