/// \file Saved models of people who mean ill: their hash is right, and what it guards is not.

#include "core/plugin/plugin.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "tests/model/synthetic.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::hostile_trees_test {

using nlohmann::json;

/// A saved model with these trees, or this header, and the hash that belongs to them.
std::string sealed(json header, const std::string& trees) {
  header.erase("hash");
  header["hash"] = hashHex(header.dump() + trees);
  return header.dump() + '\n' + trees;
}

/// True when it was loaded and predicts, false when it was refused.
bool loads(const std::string& bytes) {
  const auto model = costModel();
  try {
    model->load(bytes);
    model->predict(test::synthetic({.programs = 20}).features);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

class HostileTrees : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const auto model = costModel();
    model->update(test::synthetic({.programs = 200}));
    const std::string bytes = model->save();
    header_ = json::parse(bytes.substr(0, bytes.find('\n')));
    trees_ = bytes.substr(bytes.find('\n') + 1);
    QVERIFY(loads(sealed(header_, trees_)));
  }

  void changedBytesAreRefusedOrHarmless() {
    Random random(7);
    int refused = 0;
    constexpr int kModels = 150;
    for (int i = 0; i < kModels; ++i) {
      std::string trees = trees_;
      // The names and lengths at the beginning matter most.
      const std::size_t range = i % 2 == 0 ? 2000 : trees.size();
      trees[random.below(range)] = static_cast<char>(random.below(256));
      if (i % 10 == 0) trees.resize(random.below(trees.size()));
      refused += loads(sealed(header_, trees)) ? 0 : 1;
    }
    QVERIFY2(refused > kModels / 4, qPrintable(QString::number(refused)));
  }

  void lengthsBeyondTheBytesAreRefused() {
    const std::string small("L\0\0\0\0\0", 6); // a length, of eight bytes in all
    for (std::size_t at = trees_.find(small); at < 3000; at = trees_.find(small, at + 1)) {
      std::string trees = trees_;
      trees.replace(at + 1, 8, std::string(8, '\x7f'));
      QVERIFY(!loads(sealed(header_, trees)));
    }
  }

  void nodesThatAreNotThereAreRefused() {
    const char* names[] = {"left_children", "right_children", "split_indices", "parents"};
    for (const char* name : names) {
      std::string trees = trees_;
      trees.replace(valuesOf(name), 4, std::string("\x00\x7f\xff\xff", 4));
      const bool isRoot = std::string_view(name) == "parents"; // nobody asks for its parent
      QCOMPARE(loads(sealed(header_, trees)), isRoot);
    }
    std::string endless = trees_; // the root is a child of its own child
    const std::size_t left = endless.find("left_children") + 13 + 5 + 8;
    endless.replace(left + 4, 4, std::string(4, '\0'));
    QVERIFY(!loads(sealed(header_, endless)));
  }

  /// A node that was pruned is nobody's child, and XGBoost looks at its parent all the same.
  void orphansWithoutAParentAreRefused() {
    std::string trees = trees_;
    const std::size_t left = valuesOf("left_children"), right = valuesOf("right_children");
    std::size_t child = 0; // the first leaf beside a leaf
    for (std::size_t node = 0; child == 0; ++node) {
      const std::size_t one = numberAt(trees, left + 4 * node);
      const std::size_t other = numberAt(trees, right + 4 * node);
      if (one == kNone || numberAt(trees, left + 4 * one) != kNone ||
          numberAt(trees, left + 4 * other) != kNone)
        continue;
      child = one;
      for (const std::size_t children : {left, right})
        trees.replace(children + 4 * node, 4, std::string(4, '\xff')); // a leaf now
    }
    trees.replace(valuesOf("parents") + 4 * child, 4, std::string("\x00\x7f\xff\xff", 4));
    QVERIFY(!loads(sealed(header_, trees)));
  }

  /// Which of two fields of one name counts is for the reader to say, and readers differ.
  void fieldsOfOneNameAreRefused() {
    const std::size_t values = valuesOf("left_children"), begin = values - 13 - 5 - 8 - 9;
    const std::size_t end = trees_.find("loss_changes") - 9;
    std::string other = trees_.substr(begin, end - begin);
    other.replace(values - begin, 4, std::string("\x00\x7f\xff\xff", 4));
    for (const std::size_t place : {begin, end}) {
      std::string trees = trees_;
      trees.insert(place, other);
      QVERIFY(!loads(sealed(header_, trees)));
    }
  }

  void bombsAreRefused() {
    std::string deep; // objects within objects
    for (int level = 0; level < 200'000; ++level)
      deep += std::string("{L\0\0\0\0\0\0\0\1a", 11);
    QVERIFY(!loads(sealed(header_, deep)));
    QVERIFY(!loads(sealed(header_, std::string(1 << 20, '['))));
    QVERIFY(!loads(sealed(header_, std::string("[$Z#L\x00\x00\x00\x01\x00\x00\x00\x00", 13))));
  }

  void headersThatDoNotFitAreRefused() {
    for (const char* field : {"columns", "programs", "best", "trees"})
      for (const json& value : {json(), json("many"), json::array({1})}) {
        json header = header_;
        header[field] = value;
        QVERIFY(!loads(sealed(header, trees_)));
      }
    json wider = header_;
    wider["columns"] = 1ll << 60;
    QVERIFY(!loads(sealed(wider, trees_)));
    // The trees agree, and no memory could hold a row.
    const std::string length("\0\0\0\0\0\0\0", 7), many = "4000000000";
    std::string trees = trees_;
    const std::string narrow = "num_featureSL" + length + '\3' + std::to_string(test::kColumns);
    const std::string wide = "num_featureSL" + length + static_cast<char>(many.size()) + many;
    for (std::size_t at = trees.find(narrow); at != std::string::npos; at = trees.find(narrow, at))
      trees.replace(at, narrow.size(), wide);
    wider["columns"] = 4'000'000'000;
    QVERIFY(trees.size() > trees_.size());
    QVERIFY(!loads(sealed(wider, trees)));
  }

 private:
  static constexpr std::size_t kNone = 0xffffffff; // the child of a leaf

  /// Where the first tree's list of this name begins: after the name come "[$l#L" and eight bytes
  /// of the length.
  std::size_t valuesOf(std::string_view name) const {
    return trees_.find(name) + name.size() + 5 + 8;
  }
  static std::size_t numberAt(std::string_view bytes, std::size_t at) {
    std::size_t number = 0;
    for (const char byte : bytes.substr(at, 4))
      number = number << 8 | static_cast<unsigned char>(byte);
    return number;
  }

  json header_;
  std::string trees_;
};

NW_TEST_GUILESS(HostileTrees)

} // namespace nestwright::hostile_trees_test

#include "hostile_trees.moc"
