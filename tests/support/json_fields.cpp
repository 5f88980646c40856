/// One list of a struct's fields is its JSON in both directions.

#include "core/support/json_fields.h"

#include "core/support/error.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace nestwright::json_fields_test {

enum class Colour : std::uint8_t { None, Red };
const char* name(Colour colour) {
  return colour == Colour::Red ? "red" : "";
}
Colour colourFromName(const std::string& text) {
  if (text != "red" && !text.empty()) throw InputError("no colour");
  return text.empty() ? Colour::None : Colour::Red;
}

struct Point {
  int x = 0;
  double seconds = 0;
  friend bool operator==(const Point&, const Point&) = default;
};
template <class Io>
void fields(Io& io, Point& point) {
  io("x", point.x);
  io.number("seconds", point.seconds);
}

/// What has a form of its own.
struct Tone {
  int value = 0;
  friend bool operator==(const Tone&, const Tone&) = default;
};
nlohmann::json toJson(const Tone& tone) {
  return tone.value;
}
Tone toneFromJson(const nlohmann::json& json) {
  return {json.get<int>()};
}

struct Curve {
  std::string title;
  Colour colour = Colour::Red, back = Colour::None;
  Point origin;
  std::vector<Point> points;
  std::vector<double> marks;
  std::optional<double> score, hertz;
  std::optional<Tone> tone = {};
  std::string reason = {};
  int round = 0;
  friend bool operator==(const Curve&, const Curve&) = default;
};
template <class Io>
void fields(Io& io, Curve& curve) {
  io("title", curve.title);
  io.named("colour", curve.colour, colourFromName);
  io.namedIfAny("back", curve.back, colourFromName);
  io.object("origin", curve.origin);
  io.each("points", curve.points);
  io.numbers("marks", curve.marks);
  io.orNull("score", curve.score);
  io.ifAny("hertz", curve.hertz);
  io.nestedIfAny("tone", curve.tone, toneFromJson);
  io.ifSet("reason", curve.reason);
  io.ifSet("round", curve.round);
}

struct Frame {
  Colour colour = Colour::None;
};
template <class Io>
void fields(Io& io, Frame& frame) {
  io.namedOrElse("colour", frame.colour, colourFromName, Colour::Red);
}

class JsonFields : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void writesAndReads() {
    const Curve plain{"plain", Colour::Red, Colour::None, {1, 2}, {}, {}, {}, {}};
    const Curve full{"full",
                     Colour::Red,
                     Colour::Red,
                     {1, kInfinity},
                     {{3, 0.5}, {4, 5}},
                     {1, kInfinity},
                     0.5,
                     2e9,
                     Tone{7},
                     "why",
                     3};
    QCOMPARE(toFields(plain).dump(),
             std::string(R"({"colour":"red","marks":[],"origin":{"seconds":2.0,"x":1},)"
                         R"("points":[],"score":null,"title":"plain"})"));
    QCOMPARE(toFields(full)["origin"].dump(), std::string(R"({"seconds":null,"x":1})"));
    for (const Curve& curve : {plain, full}) {
      Curve back = full; // what is not there is none
      readFields(toFields(curve), back);
      QVERIFY(back == curve);
    }
  }

  void saysWhatIsMissingOrWrong_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::newRow("a text") << "title"
                            << "3";
    QTest::newRow("a name") << "colour"
                            << "[]";
    QTest::newRow("a struct") << "origin"
                              << R"({"x": 3})";
    QTest::newRow("a list of structs") << "points"
                                       << "[7]";
    QTest::newRow("numbers") << "marks"
                             << R"(["x"])";
    QTest::newRow("an optional number") << "score"
                                        << "{}";
    QTest::newRow("what may be left out") << "hertz"
                                          << "[]";
  }
  void saysWhatIsMissingOrWrong() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    nlohmann::json json = toFields(Curve{});
    const std::string name = key.toStdString();
    Curve curve;
    json[name] = nlohmann::json::parse(value.toStdString());
    QVERIFY_THROWS_EXCEPTION(nlohmann::json::exception, readFields(json, curve));
    json.erase(name);
    if (name != "hertz")
      QVERIFY_THROWS_EXCEPTION(nlohmann::json::exception, readFields(json, curve));
  }

  void aNameThatCameLaterHasAValueWhereItIsMissing() {
    QCOMPARE(toFields(Frame{Colour::None}).dump(), std::string(R"({"colour":""})"));
    Frame frame;
    readFields(nlohmann::json::object(), frame);
    QCOMPARE(frame.colour, Colour::Red);
    readFields(toFields(Frame{Colour::None}), frame);
    QCOMPARE(frame.colour, Colour::None);
  }

  void unknownNamesAreForTheirReader() {
    nlohmann::json json = toFields(Curve{});
    json["colour"] = "blue";
    Curve curve;
    QVERIFY_THROWS_EXCEPTION(InputError, readFields(json, curve));
  }
};

NW_TEST_APPLESS(JsonFields)

} // namespace nestwright::json_fields_test

#include "json_fields.moc"
