/// A folder is made beside its place, and gets there whole or not at all.

#include "core/support/draft_folder.h"

#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

namespace nestwright::draft_folder_test {

using test::messageOf;
using test::says;
namespace fs = std::filesystem;

class DraftFolderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDraftTakesItsPlaceOrGoes() {
    const QTemporaryDir folder;
    const std::string target = folder.filePath("out").toStdString();
    std::string left;
    {
      const DraftFolder draft(target);
      left = draft.path();
      QVERIFY(fs::is_directory(left));
    }
    QVERIFY(!fs::exists(left) && !fs::exists(target));
    {
      DraftFolder draft(target);
      fs::create_directory(fs::path(draft.path()) / "first");
      draft.takePlace(false);
    }
    QVERIFY(fs::exists(fs::path(target) / "first"));
    {
      DraftFolder draft(target);
      QVERIFY(says(messageOf([&] { draft.takePlace(false); }), "is there already"));
      draft.takePlace(true);
    }
    QVERIFY(fs::is_directory(target) && fs::is_empty(target));
    QCOMPARE(std::distance(fs::directory_iterator(folder.path().toStdString()), {}), 1);
    QVERIFY(says(messageOf([] { const DraftFolder draft("/nowhere/out"); }), "cannot be made"));
  }
};

NW_TEST_APPLESS(DraftFolderTest)

} // namespace nestwright::draft_folder_test

#include "draft_folder.moc"
