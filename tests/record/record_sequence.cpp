/// Which record stands in which row while the order of a list is being made.

#include "core/record/query/record_sequence.h"

#include "tests/support/test_program.h"

#include <QtTest>

#include <memory>
#include <vector>

namespace nestwright::record_sequence_test {

using Ids = std::vector<std::int64_t>;

/// The ids from 1 to `last`, the newest first.
std::shared_ptr<const RecordRanks> newestFirst(std::int64_t last) {
  IdSet members(1, last);
  members.addRange(1, last);
  return std::make_shared<const RecordRanks>(members, true);
}

class RecordSequence : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void emptyKnowsNothing();
  void rowsByKey();
  void guessesStandBesideThem();
  void ranksTakeTheirPlace();
  void nothingComesAfterRanks();
  void whetherRanksBeginAlike();
};

using Sequence = nestwright::RecordSequence;

void RecordSequence::emptyKnowsNothing() {
  const Sequence sequence;
  QVERIFY(!sequence.ranks() && sequence.head().empty() && !sequence.isVoid(0));
  for (const std::int64_t row : {-1, 0, 1})
    QCOMPARE(sequence.at(row), std::int64_t(0));
  QCOMPARE(sequence.rowOf(1), std::int64_t(-1));
}

void RecordSequence::rowsByKey() {
  Sequence sequence;
  sequence.append(Ids{9, 8});
  sequence.append(Ids{7});
  QCOMPARE(sequence.head(), (Ids{9, 8, 7}));
  QCOMPARE(sequence.at(2), std::int64_t(7));
  QCOMPARE(sequence.at(3), std::int64_t(0));
  QCOMPARE(sequence.rowOf(8), std::int64_t(1));
  QCOMPARE(sequence.rowOf(6), std::int64_t(-1));
}

void RecordSequence::guessesStandBesideThem() {
  Sequence sequence;
  sequence.append(Ids{9, 8});
  sequence.guess(1, 4, Ids{5, 4, 3});
  QCOMPARE(sequence.at(1), std::int64_t(8)); // what is known goes before a guess
  QCOMPARE(sequence.at(2), std::int64_t(4));
  QCOMPARE(sequence.at(3), std::int64_t(3));
  QCOMPARE(sequence.at(4), std::int64_t(0));
  QVERIFY(sequence.isVoid(4) && !sequence.isVoid(3) && !sequence.isVoid(5));
  QCOMPARE(sequence.rowOf(4), std::int64_t(-1)); // it is not sure
}

void RecordSequence::ranksTakeTheirPlace() {
  Sequence sequence;
  sequence.append(Ids{9, 8});
  sequence.guess(2, 2, Ids{1});
  sequence.setRanks(newestFirst(9));
  QVERIFY(sequence.head().empty() && !sequence.isVoid(3));
  QCOMPARE(sequence.at(2), std::int64_t(7));
  QCOMPARE(sequence.at(8), std::int64_t(1));
  QCOMPARE(sequence.at(9), std::int64_t(0));
  QCOMPARE(sequence.at(-1), std::int64_t(0));
  QCOMPARE(sequence.rowOf(1), std::int64_t(8));
  QCOMPARE(sequence.rowOf(10), std::int64_t(-1));
}

void RecordSequence::nothingComesAfterRanks() {
  Sequence sequence;
  sequence.setRanks(newestFirst(2));
  sequence.append(Ids{9});
  sequence.guess(5, 1, Ids{8});
  QVERIFY(sequence.head().empty());
  QCOMPARE(sequence.at(5), std::int64_t(0));
}

void RecordSequence::whetherRanksBeginAlike() {
  Sequence sequence;
  QVERIFY(sequence.beginsAlike(*newestFirst(3)));
  sequence.append(Ids{3, 2});
  QVERIFY(sequence.beginsAlike(*newestFirst(3)));
  QVERIFY(!sequence.beginsAlike(*newestFirst(4)));
  sequence.append(Ids{1, 0});
  QVERIFY(!sequence.beginsAlike(*newestFirst(3))); // shorter
}

NW_TEST_GUILESS(RecordSequence)

} // namespace nestwright::record_sequence_test

#include "record_sequence.moc"
