#include "core/record/rows/record_filter.h"

#include "core/schedule/step.h"
#include "core/support/random.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace nestwright::record_filter_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

FilterValue text(const char* value) {
  return {.text = value};
}
FilterValue range(double low, double high, bool lowOpen = false, bool highOpen = false) {
  return {.text = {}, .low = low, .high = high, .lowOpen = lowOpen, .highOpen = highOpen};
}

std::string errorOf(const std::string& text) {
  try {
    parseRecordFilter(text);
  } catch (const FilterError& error) {
    return fmt::format("{}-{}: {}", error.begin(), error.end(), error.what());
  }
  return {};
}

/// Any filter that can be written, with awkward texts and numbers.
FilterCondition randomCondition(Random& random) {
  const FilterFieldInfo& field = filterFields()[random.below(filterFields().size())];
  FilterCondition condition{field.field, random.below(2) == 0, {}};
  const auto number = [&] {
    const double size = std::pow(10.0, int(random.below(19)) - 9);
    return random.below(4) == 0 ? double(random.below(100)) : random.unit() * size;
  };
  const auto numbers = [&] {
    const double a = number(), b = number();
    switch (random.below(6)) {
    case 0:
      return range(-kInfinity, a, false, random.below(2) == 0);
    case 1:
      return range(a, kInfinity, random.below(2) == 0);
    case 2:
      return range(a, a);
    default:
      return range(std::min(a, b), std::max(a, b));
    }
  };
  const auto words = [&] {
    static constexpr const char* kPieces[] = {"conv2d", " ", "\"", "\\", ",", "*", "?",
                                              "<",      ">", "=",  "..", "3", "-", ":",
                                              "→",      "%", "\t", "T4", "'", ";"};
    FilterValue value;
    for (int i = int(random.below(5)); i >= 0; --i)
      value.text += kPieces[random.below(std::size(kPieces))];
    return value;
  };
  for (int i = int(random.below(3)); i >= 0; --i) {
    switch (field.kind) {
    case FilterKind::Pattern:
      condition.values.push_back(words());
      break;
    case FilterKind::PatternOrNumber:
      condition.values.push_back(random.below(2) == 0 ? words() : numbers());
      break;
    case FilterKind::Word:
      condition.values.push_back(
          {.text = std::string(field.words[random.below(field.words.size())])});
      break;
    case FilterKind::Prefix:
      condition.values.push_back({.text = fmt::format("{:x}", random.below(1 << 20))});
      break;
    case FilterKind::Number:
    case FilterKind::Time:
      condition.values.push_back(numbers());
      break;
    }
  }
  return condition;
}

class RecordFilterTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void understands_data();
  void understands();
  void refuses_data();
  void refuses();
  void printsWhatItReads();
  void randomTextNeverHarms();
  void saysInWords_data();
  void saysInWords();
  void examplesAreUnderstood();
};

using Values = std::vector<FilterValue>;

void RecordFilterTest::understands_data() {
  QTest::addColumn<QByteArray>("written");
  QTest::addColumn<int>("field");
  QTest::addColumn<bool>("negated");
  QTest::addColumn<Values>("values");
  QTest::addColumn<QByteArray>("printed"); // empty: as written
  const auto row = [](const char* written, FilterField field, const Values& values,
                      const char* printed = "", bool negated = false) {
    QTest::newRow(written) << QByteArray(written) << int(field) << negated << values
                           << QByteArray(printed);
  };
  using enum FilterField;
  row("task:conv2d", Task, {text("conv2d")});
  row("Task:conv2d", Task, {text("conv2d")}, "task:conv2d");
  row("task=conv2d", Task, {text("conv2d")}, "task:conv2d");
  row("task:T1,T4", Task, {text("T1"), text("T4")});
  row("task:\"Conv 3x3\"", Task, {text("Conv 3x3")});
  row("task:\"a\\\"b\\\\,c\"", Task, {text("a\"b\\,c")});
  row("task:a:b", Task, {text("a:b")});
  row("task:=conv2d,=dense", Task, {text("=conv2d"), text("=dense")});
  row("network==resnet18", Network, {text("=resnet18")}, "network:=resnet18");
  row("task:\"=Conv 3x3\"", Task, {text("=Conv 3x3")});
  row("session:\"=3\"", Session, {text("=3")});
  row("task:\"plain\"", Task, {text("plain")}, "task:plain");
  row("target:*8272*", Target, {text("*8272*")});
  row("task:/conv.*3$/", Task, {text("/conv.*3$/")});
  row("task:\"/a{1,2} b/\"", Task, {text("/a{1,2} b/")});
  row("weight>2", Weight, {range(2, kInfinity, true)});
  row("weight>=2.5", Weight, {range(2.5, kInfinity)});
  row("weight:>2,<1", Weight, {range(2, kInfinity, true), range(-kInfinity, 1, false, true)});
  row("weight:2", Weight, {range(2, 2)});
  row("weight==2", Weight, {range(2, 2)}, "weight:2");
  row("latency<1ms", Latency, {range(-kInfinity, 1e-3, false, true)});
  row("latency<=1.5ms", Latency, {range(-kInfinity, 1.5e-3)});
  row("latency:<1ms", Latency, {range(-kInfinity, 1e-3, false, true)}, "latency<1ms");
  row("latency:1ms..5ms", Latency, {range(1e-3, 5e-3)});
  row("latency:..5ms", Latency, {range(-kInfinity, 5e-3)}, "latency<=5ms");
  row("latency:250us..", Latency, {range(250e-6, kInfinity)}, "latency>=250us");
  row("latency:250µs..", Latency, {range(250e-6, kInfinity)}, "latency>=250us");
  row("latency:0..1ms", Latency, {range(0, 1e-3)});
  row("latency<0.0001s", Latency, {range(-kInfinity, 1e-4, false, true)}, "latency<100us");
  row("wall<10min", Wall, {range(-kInfinity, 600, false, true)}, "wall<10min");
  row("wall>2h", Wall, {range(7200, kInfinity, true)});
  row("-error:timeout", Error, {text("timeout")}, "", true);
  row("error:none", Error, {text("none")});
  row("error:\"Run Error\",wrong_answer", Error, {text("run-error"), text("wrong-answer")},
      "error:run-error,wrong-answer");
  row("session:3", Session, {range(3, 3)});
  row("session:1..3", Session, {range(1, 3)});
  row("session>3", Session, {range(3, kInfinity, true)});
  row("session:resnet18", Session, {text("resnet18")});
  row("session:\"3\"", Session, {text("3")});
  row("is:best,verified", Is, {text("best"), text("verified")});
  row("steps:rfactor", Steps, {text("rfactor")});
  row("tag:keep", Tag, {text("keep")});
  row("trial:1..100,200", Trial, {range(1, 100), range(200, 200)});
  row("program:1F3A", Program, {text("1f3a")}, "program:1f3a");
  row("gflops>1e3", Gflops, {range(1000, kInfinity, true)}, "gflops>1000");
}

void RecordFilterTest::understands() {
  QFETCH(QByteArray, written);
  QFETCH(int, field);
  QFETCH(bool, negated);
  QFETCH(Values, values);
  QFETCH(QByteArray, printed);
  const RecordFilter filter = parseRecordFilter("  " + written.toStdString() + "\t");
  QCOMPARE(filter.conditions.size(), std::size_t(1));
  const FilterCondition& condition = filter.conditions[0];
  QCOMPARE(int(condition.field), field);
  QCOMPARE(condition.negated, negated);
  QVERIFY2(condition.values == values, print(filter).c_str());
  QCOMPARE(QByteArray::fromStdString(print(filter)), printed.isEmpty() ? written : printed);
}

void RecordFilterTest::refuses_data() {
  QTest::addColumn<QByteArray>("written");
  QTest::addColumn<QByteArray>("place");
  QTest::addColumn<QByteArray>("says"); // a part of the message
  const auto row = [](const char* written, const char* place, const char* says) {
    QTest::newRow(written) << QByteArray(written) << QByteArray(place) << QByteArray(says);
  };
  row("conv2d", "0-6", "write task:conv2d");
  row("error:none -conv2d", "11-18", "write task:conv2d");
  row("latncy<1ms", "0-6", "did you mean latency<1ms?");
  row("verdict:ok", "0-7", "did you mean error:none?");
  row("time<1ms", "0-4", "did you mean latency<1ms?");
  row("colour:red", "0-6", "there are task, latency, gflops, error");
  row("latency<1", "7-9", "lacks its unit; write 1ms, 1us or 1s");
  row("latency<1m", "7-10", "\"m\" is no unit of time");
  row("latency<fast", "7-12", "is no time");
  row("latency<-1ms", "7-12", "is no time");
  row("latency:5ms..1ms", "8-16", "ends before it begins");
  row("latency:..", "8-10", "is no range");
  row("latency<1e400s", "7-14", "is no time");
  row("weight>many", "6-11", "is no number");
  row("weight>1,2", "6-10", "write weight:>1,2 for several");
  row("task>3", "0-6", "write a colon: task:conv2d");
  row("task:", "5-5", "lacks a value");
  row("task:a,", "7-7", "lacks a value");
  row("task:\"\"", "5-7", "lacks a value");
  row("-task:", "6-6", "lacks a value");
  row(":conv2d", "0-7", "a field is missing");
  row("-", "0-1", "is no condition");
  row("error:sometimes", "6-15", "it can be none, any, timeout, illegal");
  row("is:good", "3-7", "it can be best, was-best, verified");
  row("steps:unroll", "6-12", "it can be annotation, fuse");
  row("task:/conv(/", "5-12", "missing )");
  row("task:\"conv", "5-10", "the quote is not closed");
  row("task:a\"b\"", "5-9", "a quote within a value");
  row("task:\"a\"b", "5-9", "follows the closing quote");
  row("program:xyz", "8-11", "beginning of a hash");
  row("trial:1..x", "6-10", "is no number");
  QTest::newRow("long value") << "task:" + QByteArray(1001, 'x') << QByteArray("5-1006")
                              << QByteArray("more than 1000 letters");
  QTest::newRow("many values") << "task:x" + QByteArray(",x").repeated(256) << QByteArray("518-518")
                               << QByteArray("more than 256 values");
  QTest::newRow("many conditions") << QByteArray("is:best ").repeated(65) << QByteArray("512-519")
                                   << QByteArray("more than 64 conditions");
}

void RecordFilterTest::refuses() {
  QFETCH(QByteArray, written);
  QFETCH(QByteArray, place);
  QFETCH(QByteArray, says);
  const QByteArray error = QByteArray::fromStdString(errorOf(written.toStdString()));
  QVERIFY2(error.startsWith(place + ": "), error);
  QVERIFY2(error.contains(says), error);
}

void RecordFilterTest::printsWhatItReads() {
  Random random(11);
  for (int i = 0; i < 20'000; ++i) {
    RecordFilter filter;
    for (int n = int(random.below(4)); n > 0; --n)
      filter.conditions.push_back(randomCondition(random));
    const std::string text = print(filter);
    const std::string error = errorOf(text);
    QVERIFY2(error.empty(), (text + ": " + error).c_str());
    QVERIFY2(parseRecordFilter(text) == filter, text.c_str());
    QCOMPARE(filterWords(text).size(), filter.conditions.size());
  }
}

/// Either a filter that prints to itself, or an error whose place lies in the text.
void RecordFilterTest::randomTextNeverHarms() {
  static constexpr const char* kPieces[] = {
      "task",  "latency", ":",       "<",     ">",       "=",
      "..",    ",",       "-",       "\"",    "\\",      " ",
      "1",     "ms",      "us",      "s",     "é",       "\xff",
      "error", "none",    "any",     "steps", "trial",   "is",
      "best",  "*",       "?",       "1e",    "0",       "inf",
      "nan",   "\n",      "rfactor", "tag",   "session", "9999999999999999999999"};
  Random random(12);
  int understood = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (int n = int(random.below(12)); n > 0; --n)
      text += random.below(20) == 0 ? std::string(1, char(random.below(256)))
                                    : kPieces[random.below(std::size(kPieces))];
    for (const FilterWord word : filterWords(text))
      QVERIFY(word.begin < word.end && word.end <= text.size());
    try {
      const RecordFilter filter = parseRecordFilter(text);
      QVERIFY2(parseRecordFilter(print(filter)) == filter, text.c_str());
      understood += filter.empty() ? 0 : 1;
    } catch (const FilterError& error) {
      QVERIFY2(error.begin() <= error.end() && error.end() <= text.size(), text.c_str());
      QVERIFY(!std::string(error.what()).empty());
    }
  }
  QVERIFY(understood > 100);
}

void RecordFilterTest::saysInWords_data() {
  QTest::addColumn<QByteArray>("written");
  QTest::addColumn<QByteArray>("words");
  QTest::newRow("below") << QByteArray("latency<1ms") << QByteArray("latency below 1 ms");
  QTest::newRow("range") << QByteArray("latency:1ms..2.5ms")
                         << QByteArray("latency 1 ms to 2.5 ms");
  QTest::newRow("not") << QByteArray("-error:timeout") << QByteArray("not error timeout");
  QTest::newRow("set") << QByteArray("task:T1,T4") << QByteArray("task T1 or T4");
  QTest::newRow("exact") << QByteArray("network:=resnet18") << QByteArray("network resnet18");
  QTest::newRow("least") << QByteArray("weight>=2") << QByteArray("weight at least 2");
}

void RecordFilterTest::saysInWords() {
  QFETCH(QByteArray, written);
  QFETCH(QByteArray, words);
  const RecordFilter filter = parseRecordFilter(written.toStdString());
  QCOMPARE(QByteArray::fromStdString(inWords(filter.conditions[0])), words);
}

void RecordFilterTest::examplesAreUnderstood() {
  for (const FilterFieldInfo& field : filterFields()) {
    const RecordFilter filter = parseRecordFilter(field.example);
    QCOMPARE(int(filter.conditions.at(0).field), int(field.field));
    QVERIFY(filter.has(field.field));
    QCOMPARE(print(filter), std::string(field.example));
    for (const std::string_view word : field.words)
      QVERIFY(!parseRecordFilter(fmt::format("{}:{}", field.name, word)).empty());
  }
}

NW_TEST_GUILESS(RecordFilterTest)

} // namespace nestwright::record_filter_test

#include "record_filter.moc"
