/// Packing of constants: every element at the place that the parts' formula gives (reference
/// handbook/ansor.md 11.4), and nothing else in the array. Set NESTWRIGHT_FUZZ_SEED to repeat a
/// failure.

#include "core/tensor/packed_layout.h"

#include "core/support/error.h"
#include "core/support/random.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <numeric>

namespace nestwright::packed_layout_test {

std::uint64_t seed() {
  const int wanted = qEnvironmentVariableIntValue("NESTWRIGHT_FUZZ_SEED");
  return wanted > 0 ? static_cast<std::uint64_t>(wanted) : 20261121;
}

/// A random array cut into random parts in random order; sizes need not divide.
PackedLayout randomLayout(Random& random) {
  PackedLayout layout;
  const std::size_t rank = 1 + random.below(4);
  for (std::size_t d = 0; d < rank; ++d) {
    const auto extent = static_cast<std::int64_t>(1 + random.below(16));
    layout.shape.push_back(extent);
    layout.axes.push_back(std::string(1, static_cast<char>('i' + d)));
    std::int64_t whole = extent;
    while (whole > 1) {
      const auto size =
          random.below(2) == 0
              ? 1
              : static_cast<std::int64_t>(1 + random.below(static_cast<std::uint64_t>(whole - 1)));
      layout.parts.push_back({static_cast<int>(d), (whole + size - 1) / size, size});
      whole = size;
    }
  }
  for (std::size_t i = layout.parts.size(); i > 1; --i)
    std::swap(layout.parts[i - 1], layout.parts[random.below(i)]);
  return layout;
}

/// Where the formula puts the element with these indices.
std::int64_t placeOf(const PackedLayout& layout, const std::vector<std::int64_t>& indices) {
  std::int64_t place = 0;
  for (const PackedLayout::Part& part : layout.parts) {
    std::int64_t inside = indices[static_cast<std::size_t>(part.dimension)];
    for (std::int64_t size = 16; size > part.size; --size)
      for (const PackedLayout::Part& larger : layout.parts)
        if (larger.dimension == part.dimension && larger.size == size) inside %= size;
    place = place * part.extent + inside / part.size;
  }
  return place;
}

class PackedLayoutTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void packsByTheFormula() {
    Random random(seed());
    qInfo("seed %llu", static_cast<unsigned long long>(seed()));
    for (int n = 0; n < 300; ++n) {
      const PackedLayout layout = randomLayout(random);
      validate(layout);
      const std::int64_t count = std::accumulate(layout.shape.begin(), layout.shape.end(),
                                                 std::int64_t{1}, std::multiplies<>());
      std::vector<std::int32_t> given(static_cast<std::size_t>(count));
      std::iota(given.begin(), given.end(), 1);
      std::vector<std::int32_t> packed(static_cast<std::size_t>(layout.packedElements()), -7);
      layout.pack(given.data(), packed.data(), sizeof(std::int32_t));
      std::vector<std::int32_t> expected(packed.size(), 0);
      for (std::int64_t e = 0; e < count; ++e) {
        std::vector<std::int64_t> indices(layout.shape.size());
        std::int64_t rest = e;
        for (std::size_t d = indices.size(); d-- > 0; rest /= layout.shape[d])
          indices[d] = rest % layout.shape[d];
        std::int32_t& place = expected.at(static_cast<std::size_t>(placeOf(layout, indices)));
        QCOMPARE(place, 0); // a place of its own
        place = given[static_cast<std::size_t>(e)];
      }
      QVERIFY2(packed == expected, qPrintable(QString("layout %1 of %2")
                                                  .arg(toString(layout).c_str())
                                                  .arg(givenOrderText(layout).c_str())));
    }
  }

  void saysItsParts() {
    const PackedLayout layout{{512, 512}, {"k", "j"}, {{1, 8, 64}, {0, 512, 1}, {1, 64, 1}}};
    QCOMPARE(toString(layout), std::string("8j512k64j"));
    QCOMPARE(givenOrderText(layout), std::string("512k512j"));
    QCOMPARE(layout.packedShape(), (std::vector<std::int64_t>{8, 512, 64}));
  }

  void nonsenseIsRefused_data() {
    QTest::addColumn<int>("which");
    const char* names[] = {"no such dimension", "too short", "elements share a place", "no size",
                           "missing dimension"};
    for (int i = 0; i < 5; ++i)
      QTest::newRow(names[i]) << i;
  }

  void nonsenseIsRefused() {
    QFETCH(int, which);
    const std::vector<std::vector<PackedLayout::Part>> parts = {
        {{0, 4, 1}, {2, 6, 1}},
        {{0, 4, 1}, {1, 2, 4}, {1, 3, 1}},
        {{0, 2, 2}, {1, 6, 1}},
        {{0, 4, 0}, {1, 6, 1}},
        {{0, 4, 1}},
    };
    const PackedLayout layout{{4, 6}, {"i", "j"}, parts[static_cast<std::size_t>(which)]};
    QVERIFY_EXCEPTION_THROWN(validate(layout), InputError);
  }
};

NW_TEST_APPLESS(PackedLayoutTest)

} // namespace nestwright::packed_layout_test

#include "packed_layout.moc"
