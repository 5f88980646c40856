/// Memory between unreadable pages: its ends fault, and large memory has huge pages.

#include "core/backend/guarded_buffer.h"

#include "tests/support/test_program.h"

#include <unistd.h>

#include <QFile>
#include <QtTest>

namespace nestwright::guarded_buffer_test {

constexpr std::size_t kPage = 4096;

/// Whether the byte can be read: a call of the system says so where the process would end.
bool isReadable(const std::uint8_t* byte) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return false;
  const bool isRead = write(ends[1], byte, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return isRead;
}

/// What the system says of the mapping that the byte lies in: "rd wr mr mw me ac hg"; empty where
/// it says nothing.
QByteArray flagsOf(const void* byte) {
  QFile maps(QStringLiteral("/proc/self/smaps"));
  if (!maps.open(QIODevice::ReadOnly)) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(byte);
  bool isInside = false;
  for (const QByteArray& line : maps.readAll().split('\n')) {
    const QByteArray first = line.left(line.indexOf(' '));
    if (const auto dash = first.indexOf('-'); dash > 0) {
      bool isBegin = false, isEnd = false;
      const auto begin = first.left(dash).toULongLong(&isBegin, 16);
      const auto end = first.mid(dash + 1).toULongLong(&isEnd, 16);
      if (isBegin && isEnd) isInside = begin <= address && address < end;
    }
    if (isInside && line.startsWith("VmFlags: ")) return line.mid(9);
  }
  return {};
}

class GuardedBufferTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void endsAtUnreadablePages_data() {
    QTest::addColumn<qulonglong>("bytes");
    QTest::newRow("a line") << 64ull;
    QTest::newRow("a part of a page") << 5000ull;
    QTest::newRow("a huge page") << qulonglong(kHugePageBytes);
    QTest::newRow("more than a huge page") << qulonglong(5 * kHugePageBytes / 2 + 4 * 1001);
  }

  void endsAtUnreadablePages() {
    QFETCH(qulonglong, bytes);
    const GuardedBuffer memory(bytes);
    const auto* const data = static_cast<const std::uint8_t*>(memory.data());
    const std::size_t behind = (bytes + 63) / 64 * 64;
    QVERIFY(isReadable(data) && isReadable(data + behind - 1));
    QVERIFY(!isReadable(data + behind));
    const std::uint8_t* const first = data - reinterpret_cast<std::uintptr_t>(data) % kPage;
    QVERIFY(isReadable(first) && !isReadable(first - 1));
  }

  void readOnlyToItsEnds() {
    GuardedBuffer memory(3 * kHugePageBytes);
    memory.bytes().back() = 1;
    memory.makeReadOnly();
    for (const std::size_t at : {std::size_t(0), memory.bytes().size() - 1}) {
      if (flagsOf(&memory.bytes()[at]).isEmpty()) QSKIP("the system tells nothing of mappings");
      QVERIFY(!flagsOf(&memory.bytes()[at]).contains("wr"));
    }
  }

  /// Begun where a huge page does, all but the end of large memory can have them.
  void largeMemoryHasHugePages() {
    for (const std::size_t bytes : {kHugePageBytes, 3 * kHugePageBytes + 20000}) {
      const GuardedBuffer memory(bytes);
      const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
      QVERIFY(address % kHugePageBytes < kPage);
      QCOMPARE(address % 64, std::uintptr_t(0));
    }
    const GuardedBuffer large(2 * kHugePageBytes), small(kHugePageBytes / 2);
    if (!QFile::exists(QStringLiteral("/sys/kernel/mm/transparent_hugepage/enabled")))
      QSKIP("the system has no huge pages");
    if (flagsOf(large.data()).isEmpty()) QSKIP("the system tells nothing of mappings");
    QVERIFY2(flagsOf(large.data()).contains("hg"), flagsOf(large.data()));
    QVERIFY2(!flagsOf(small.data()).contains("hg"), flagsOf(small.data()));
  }
};

NW_TEST_APPLESS(GuardedBufferTest)

} // namespace nestwright::guarded_buffer_test

#include "guarded_buffer.moc"
