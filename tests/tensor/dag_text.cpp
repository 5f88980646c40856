#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"
#include "tests/tensor/tvm_dags.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <fstream>

namespace nestwright::dag_text_test {

nlohmann::json fixture(const char* name) {
  std::ifstream file(std::string(NESTWRIGHT_TEST_DATA "/tvm-ansor-zen5/") + name);
  return nlohmann::json::parse(file);
}

QString q(const std::string& text) {
  return QString::fromStdString(text);
}

/// The text once read and printed, or what the parser says against it.
QString reprinted(const std::string& text) {
  try {
    return q(print(parseDag(text)));
  } catch (const InputError& error) {
    return error.what();
  }
}

/// What the parser says against a text.
std::string complaint(const std::string& text) {
  try {
    parseDag(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

class TestDagText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void printsAsThePublicImplementation_data() {
    QTest::addColumn<QString>("expected");
    for (const char* file : {"tasks.json", "sketches.json"}) {
      const nlohmann::json oracle = fixture(file);
      for (const auto& [key, value] : oracle.items())
        QTest::newRow(key.c_str()) << q(value["compute_dag"].get<std::string>());
    }
  }
  void printsAsThePublicImplementation() {
    QFETCH(QString, expected);
    const ComputeDag dag = test::tvmDags().at(QTest::currentDataTag());
    QCOMPARE(q(print(dag, DagText::Tvm)).trimmed(), expected.trimmed());
  }

  void countsOperationsAsThePublicImplementation() {
    const auto dags = test::tvmDags();
    const nlohmann::json oracle = fixture("tasks.json");
    for (const auto& [key, value] : oracle.items())
      QCOMPARE(flops(dags.at(key)), value["flop"].get<double>());
  }

  void printParsePrintIsTheIdentity_data() {
    QTest::addColumn<QString>("text");
    for (const auto& [key, dag] : test::tvmDags())
      QTest::newRow(key.c_str()) << q(print(dag));
    QTest::newRow("types") << "A = PLACEHOLDER [4, 8] int8\n"
                              "B = PLACEHOLDER [8] float16\n"
                              "C(i, j) = ((float32(A[i, j])*float32(B[j])) + 0.1f)\n"
                              "D(i) += float64(C[i, k])\n"
                              "E(i) = (D[i] + 1.0)\n"
                              "F(i, j) = (A[i, j] + int8(3))\n"
                              "G(j) = (B[j]*0.5h)\n";
    QTest::newRow("odd floats") << "A = PLACEHOLDER [4]\n"
                                   "B(i) = max(A[i], -3.4028235e+38f)\n"
                                   "C(i) = min(A[i], inff)\n"
                                   "D(i) = (tir.if_then_else((i < 2), A[i], -inff) + -0f)\n"
                                   "E(i) = select((A[i] == nanf), 1e-05f, 16777216f)\n"
                                   "F(i) = (bfloat16(A[i])*bfloat16(0.5))\n";
    QTest::newRow("extents") << "A = PLACEHOLDER [6, 6]\n"
                                "B(i=4, j=5) = A[(i + 1), j]\n"
                                "C(i=3) {k=4, l=3} += A[(i*2), (k + l)]\n";
    QTest::newRow("order of reductions") << "A = PLACEHOLDER [6, 7, 8]\n"
                                            "B() {c, a, b} *= A[a, b, c]\n"
                                            "C() {a, unused=2, b, c} min= A[a, b, c]\n"
                                            "D() max= A[a, b, c]\n";
    QTest::newRow("scalars") << "A = PLACEHOLDER []\nB() = (A[]*2f)\nC(i=3) = B[]\n";
    QTest::newRow("no reads") << "A(i=3, j=2) = select((i == j), 1f, 0f)\nB() += 1f\n";
    QTest::newRow("names") << "`a b` = PLACEHOLDER [3]\n`inf`(`0`) = (`a b`[`0`] + 1f)\n"
                              "C.local(x.0) = `inf`[x.0]\n";
    QTest::newRow("constants") << "W = CONSTANT [2, 2] {1, 0.5, -0.1, inf}\n"
                                  "V = CONSTANT [2] float64 {0.1, 3}\n"
                                  "C(i, j) = (W[i, j]*float32(V[j]))\n";
    QTest::newRow("integers")
        << "I = PLACEHOLDER [8] int64\nT = PLACEHOLDER [4]\n"
           "G(i) = T[floormod(floordiv(I[i], 2), 4)]\n"
           "H(i) = !((I[i] > 3) || (I[i] != 1))\n"
           "K(i) = max(min(I[i], 9223372036854775807), -9223372036854775808)\n";
    QTest::newRow("attributes") << "A = PLACEHOLDER [4, 4]\nB = PLACEHOLDER [4, 4]\n"
                                   "C(i, j) += (A[i, k]*B[k, j]) @always_unroll_inner(i, j) "
                                   "@layout_free_placeholders(B) @flop(12) @similarity(`my tag`)\n";
    QTest::newRow("functions") << "A = PLACEHOLDER [4]\n"
                                  "B(i) = tir.pow(tir.erf(tir.tanh(A[i])), 2f)\n"
                                  "C(i) = tir.abs(tir.rsqrt(tir.sigmoid(B[i])))\n";
  }
  void printParsePrintIsTheIdentity() {
    QFETCH(QString, text);
    QCOMPARE(reprinted(text.toStdString()), text);
  }

  void roundsNoNumber() {
    const ComputeDag dag = parseDag("A = PLACEHOLDER [1]\nB(i) = max(A[i], -3.4028235e+38f)\n");
    QVERIFY(equalStructure(dag[1]->body[1], lowestOf(kFloat32)));
  }

  void readsWhatPeopleWrite_data() {
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("read");
    const QString ab = "A = PLACEHOLDER [8, 8]\nB = PLACEHOLDER [8, 8]\n";
    QTest::newRow("precedence") << ab + "C(i, j) += A[i, k] * B[k, j] + 1 - 2*A[i, j] # comment\n\n"
                                << ab + "C(i, j) += (((A[i, k]*B[k, j]) + 1f) - (2f*A[i, j]))\n";
    QTest::newRow("logic") << ab + "C(i, j) = if_then_else(i >= 1 && j < 2 || i + 1 == j, exp(A[i, "
                                   "j]), 0)"
                           << ab + "C(i, j) = tir.if_then_else((((i >= 1) && (j < 2)) || ((i + 1) "
                                   "== j)), tir.exp(A[i, j]), 0f)\n";
    QTest::newRow("unary") << ab + "C(i, j) = -A[i, j] + -2 * fabs(B[i, j])\n"
                           << ab + "C(i, j) = ((0f - A[i, j]) + (-2f*tir.abs(B[i, j])))\n";
    QTest::newRow("division") << ab + "C(i, j) = A[i // 2, j % 4] / 0.5\n"
                              << ab + "C(i=8, j=8) = (A[floordiv(i, 2), floormod(j, 4)]/0.5f)\n";
    QTest::newRow("broken line") << ab + "C(i, j) += (A[i, k]\n    * B[k,\n j])\n"
                                 << ab + "C(i, j) += (A[i, k]*B[k, j])\n";
    QTest::newRow("braces in part") << ab + "C(i, j) {k} += A[i, k]*B[l, j]\n"
                                    << ab + "C(i, j) += (A[i, k]*B[l, j])\n";
  }
  void readsWhatPeopleWrite() {
    QFETCH(QString, written);
    QFETCH(QString, read);
    if (written.contains("A[i // 2")) written.replace("C(i, j)", "C(i=8, j=8)");
    QCOMPARE(reprinted(written.toStdString()), read);
  }

  void saysWhereAndWhy_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("complaint");
    const auto row = [](const char* name, const char* text, const char* complaint) {
      QTest::newRow(name) << text << complaint;
    };
    row("empty", "# nothing\n",
        "line 2, column 1: the text defines no operator; write, for example, A = PLACEHOLDER [512, "
        "512]\n  \n  ^");
    row("nothing computed", "A = PLACEHOLDER [4]\n",
        "line 2, column 1: the text computes nothing; write, for example, C(i, j) = A[i, j]*2f\n  "
        "\n  ^");
    row("unknown tensor", "A = PLACEHOLDER [4]\nC(i) = A[i] + X[i]",
        "line 2, column 15: no tensor 'X' is defined above; define it first, as in X = PLACEHOLDER "
        "[512, 512]\n  C(i) = A[i] + X[i]\n                ^");
    row("not a reduction", "A = PLACEHOLDER [4, 4]\nC(i) = A[i, k]",
        "line 2, column 13: 'k' is no axis of this operator; a reduction over it needs +=, *=, "
        "max= "
        "or min=\n  C(i) = A[i, k]\n              ^");
    row("extents differ",
        "A = PLACEHOLDER [4, 5]\nB = PLACEHOLDER [6, 4]\nC(i, j) += A[i, k]*B[k, j]",
        "line 3, column 17: axis 'k' indexes a dimension of extent 5 and one of extent 6; mend a "
        "shape, or write the extent, as in k=5\n  C(i, j) += A[i, k]*B[k, j]\n                  ^");
    row("extent unknown", "A = PLACEHOLDER [4]\nC(i) = A[i + 1]",
        "line 2, column 3: axis 'i' indexes no dimension alone, so its extent is unknown; write "
        "it, "
        "as in i=16\n  C(i) = A[i + 1]\n    ^");
    row("rank", "A = PLACEHOLDER [4, 4]\nC(i) = A[i]",
        "line 2, column 8: tensor 'A' has 2 dimensions, but is read with 1 index\n"
        "  C(i) = A[i]\n         ^");
    row("bracket", "A = PLACEHOLDER [4, 4\n",
        "line 2, column 1: expected ',' or ']' in the shape, found the end of the line\n  \n  ^");
    row("no indices", "A = PLACEHOLDER [4]\nC(i) = A + 1",
        "line 2, column 8: 'A' is a tensor; read one element of it, as in A[i, j]\n"
        "  C(i) = A + 1\n         ^");
    row("function", "A = PLACEHOLDER [4]\nC(i) = A[i] / expp(A[i])",
        "line 2, column 15: unknown function 'expp'; known are min, max, select, if_then_else, "
        "floordiv, floormod, exp, log, sqrt, rsqrt, tanh, erf, sigmoid, pow, abs, floor, ceil, "
        "round, sin, cos, and conversions such as float32(x)\n"
        "  C(i) = A[i] / expp(A[i])\n                ^");
    row("types", "A = PLACEHOLDER [4] int8\nB = PLACEHOLDER [4]\nC(i) = A[i]*B[i]",
        "line 3, column 12: the operands of * have the types int8 and float32; convert one, as in "
        "int8(...)\n  C(i) = A[i]*B[i]\n             ^");
    row("type name", "A = PLACEHOLDER [4] float31",
        "line 1, column 21: 'float31' is no element type; known are bool, int8 to int64, uint8 to "
        "uint64, float16, float32, float64 and bfloat16, with an optional lane count as in "
        "float32x16\n  A = PLACEHOLDER [4] float31\n                      ^");
    row("extent zero", "A = PLACEHOLDER [0]",
        "line 1, column 18: an extent must be at least 1, not 0\n  A = PLACEHOLDER [0]\n"
        "                   ^");
    row("twice", "A = PLACEHOLDER [4]\nA = PLACEHOLDER [4]",
        "line 2, column 1: 'A' is already defined; give this operator another name\n"
        "  A = PLACEHOLDER [4]\n  ^");
    row("integer", "A = PLACEHOLDER [4] int64\nC(i) = A[i] + 9223372036854775808",
        "line 2, column 15: 9223372036854775808 is beyond integers of 64 bits; as a real number it "
        "has a point or a suffix: 9223372036854775808.0, 9223372036854775808f\n"
        "  C(i) = A[i] + 9223372036854775808\n                ^");
    row("axis twice", "A = PLACEHOLDER [4, 4]\nC(i, i) = A[i, i]",
        "line 2, column 6: operator 'C' has two axes named 'i'; rename one\n"
        "  C(i, i) = A[i, i]\n       ^");
    row("values", "A = CONSTANT [3] {1, 2}",
        "line 1, column 1: constant 'A' has 3 elements, but was given 2 values\n"
        "  A = CONSTANT [3] {1, 2}\n  ^");
  }
  void saysWhereAndWhy() {
    QFETCH(QString, text);
    QFETCH(QString, complaint);
    QCOMPARE(q(dag_text_test::complaint(text.toStdString())), complaint);
  }

  void survivesEveryCut() {
    const std::string text =
        "A = PLACEHOLDER [4, 4] int8\nW = CONSTANT [2] {1, -0.5}\n"
        "C(i, j=3) {k} max= select((A[i, k] > 2), W[0], inff) @flop(3) @similarity(`a b`)\n";
    for (std::size_t length = 0; length < text.size(); ++length) {
      const std::string said = complaint(text.substr(0, length));
      QVERIFY(said == "no complaint" || said.starts_with("line "));
    }
    QVERIFY(complaint(std::string(100000, '(')).starts_with("line "));
    QVERIFY(complaint("C() = " + std::string(100000, '(')).starts_with("line "));
    QVERIFY(complaint("C() = " + std::string(100000, '-')).starts_with("line "));
    std::string sum = "A = PLACEHOLDER []\nC() = A[]";
    for (int i = 0; i < 100000; ++i)
      sum += " + A[]";
    QVERIFY(complaint(sum).starts_with("line 2, "));
    // What is just not too long is printed with all its parentheses, and read again.
    const std::string longest = print(parseDag(sum.substr(0, 28 + 240 * 6)));
    QCOMPARE(reprinted(longest), q(longest));
  }

  void workloadKeysAreReadableAndStable() {
    const auto dags = test::tvmDags();
    QCOMPARE(q(workloadKey(dags.at("matmul_512"))),
             QString("C[512,512]=sum(A[512,512],B[512,512])#8fadbcb77880ec1b3fd9a43b47a786bb"));
    QCOMPARE(q(workloadKey(dags.at("conv_56_64_64_3"))),
             QString("pad_temp[1,58,58,64]=map(data[1,56,56,64]);conv2d_nhwc[1,56,56,64]="
                     "sum(pad_temp,kernel[3,3,64,64]);T_add[1,56,56,64]=map(conv2d_nhwc,"
                     "bias[1,1,1,64]);compute[1,56,56,64]=map(T_add)"
                     "#fe7385d48d91a0f7f471762ce500a197"));
  }
};

NW_TEST_APPLESS(TestDagText)

} // namespace nestwright::dag_text_test

#include "dag_text.moc"
