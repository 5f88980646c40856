/// The functions that tvm-ffi calls, compiled alone and called as it calls them: with kernels of
/// the test, which tell where their arrays are, and with its runtime in the process or not.

#include "core/deploy/library_text.h"
#include "core/deploy/tvm_ffi_glue.h"
#include "core/deploy/write_library.h"
#include "tests/deploy/c_program.h"
#include "tests/deploy/made_up_library.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::tvm_ffi_calls_test {

using namespace deploy_test;

/// Declared as tvm-ffi 0.1 and DLPack 1 do, and not as the code under test.
const QByteArray kAbi = R"C(
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { int32_t device_type, device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
  void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape, *strides; uint64_t byte_offset;
} DLTensor;
typedef struct { uint64_t combined_ref_count; int32_t type_index; uint32_t padding; void (*deleter)(void *, int); } TVMFFIObject;
typedef struct { int32_t type_index; uint32_t zero_padding; union { int64_t v_int64; void *v_ptr; TVMFFIObject *v_obj; }; } TVMFFIAny;
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "line %d: %s; %s: %s\n", __LINE__, #x, kind, text); exit(1); } } while (0)
static _Thread_local char kind[64], text[512];
#ifdef WITH_RUNTIME
void TVMFFIErrorSetRaisedFromCStr(const char *k, const char *t) {
  snprintf(kind, sizeof kind, "%s", k);
  snprintf(text, sizeof text, "%s", t);
}
#endif
static TVMFFIAny any(DLTensor *tensor) { return (TVMFFIAny){.type_index = 7, .v_ptr = tensor}; }
static int failed_with(int code, const char *k, const char *t, const char *error) {
#ifdef WITH_RUNTIME
  const int told = strcmp(kind, k) == 0 && strstr(text, t) != NULL;
  kind[0] = text[0] = 0;
#else
  const int told = kind[0] == 0 && k[0] != 0;
#endif
  if (!strstr(error, t)) fprintf(stderr, "%s\n", error);
  return code == -1 && told && strstr(error, t);
}
)C";

/// c = a, then b as the kernel reads it.
const QByteArray kOperator = R"C(
#include "mm.h"
int __tvm_ffi_mm(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);
int __tvm_ffi_mm_pack_b(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);
static int64_t shape_of[8][4];
static DLTensor tensor(void *data, int rank, int64_t a, int64_t b, int code, int bits) {
  static int count;
  int64_t *shape = shape_of[count++ % 8];
  shape[0] = a, shape[1] = b;
  return (DLTensor){data, {1, 0}, rank, {code, bits, 1}, shape, NULL, 0};
}
static void *seen[3], *seen_workspace;
void mm_kernel0(void *const *buffers, void *workspace, int32_t threads) {
  memcpy(seen, buffers, sizeof seen);
  memset(seen_workspace = workspace, 1, 100);
  memcpy(buffers[2], buffers[0], 24);
  memcpy((float *)buffers[2] + 6, buffers[1], 4 * 8);
  if (threads != 1) exit(9);
}
_Alignas(64) static float a[32], b[32], c[64], packed[32];
static TVMFFIAny result = {.type_index = 1, .v_int64 = 7};
static DLTensor ta, tb, tc, tp;
static void fresh(void) {
  ta = tensor(a, 2, 2, 3, 2, 32), tb = tensor(b, 2, 3, 2, 2, 32), tc = tensor(c, 1, 14, 0, 2, 32), tp = tensor(packed, 1, 8, 0, 2, 32);
}
static int call(DLTensor *x, DLTensor *y, DLTensor *z) {
  const TVMFFIAny arguments[] = {any(x), any(y), any(z)};
  return __tvm_ffi_mm(NULL, arguments, 3, &result);
}
#define REFUSED(k, t) CHECK(failed_with(call(&ta, &tb, &tc), k, t, mm_error())); fresh()
int main(void) {
  fresh();
  for (int i = 0; i < 6; ++i) a[i] = i + 1, b[i] = 10 * i + 10;
  const TVMFFIAny pack[] = {any(&tb), any(&tp)};
  CHECK(__tvm_ffi_mm_pack_b(NULL, pack, 2, &result) == 0 && packed[0] == 10 && packed[1] == 30);
  CHECK(failed_with(__tvm_ffi_mm_pack_b(NULL, pack, 1, &result), "TypeError", "takes 2 tensors", mm_error()));
  /* Where they are. */
  CHECK(call(&ta, &tp, &tc) == 0 && result.type_index == 0 && result.v_int64 == 0);
  CHECK(seen[0] == a && seen[1] == packed && seen[2] == c && (uintptr_t)seen_workspace % 64 == 0);
  CHECK(memcmp(c, a, 24) == 0 && memcmp(c + 6, packed, 32) == 0);
  /* Not packed: the same numbers, and the caller's are untouched. */
  void *const before = seen_workspace;
  memset(c, 0, sizeof c);
  CHECK(call(&ta, &tb, &tc) == 0 && seen[0] == a && seen[1] != b && seen[2] == c && seen_workspace == before);
  CHECK(memcmp(c + 6, packed, 32) == 0 && b[1] == 20);
  /* Not aligned to 64 bytes: copied there and back. byte_offset counts. */
  memmove(a + 1, a, 24);
  ta.byte_offset = 4;
  tc.data = c + 1;
  memset(c, 0, sizeof c);
  CHECK(call(&ta, &tp, &tc) == 0 && seen[0] != a + 1 && seen[2] != c + 1 && (uintptr_t)seen[2] % 64 == 0);
  CHECK(c[0] == 0 && memcmp(c + 1, a + 1, 24) == 0 && memcmp(c + 7, packed, 32) == 0 && c[15] == 0);
  memmove(packed + 1, packed, 32);
  tp.data = packed + 1;
  CHECK(call(&ta, &tp, &tc) == 0 && memcmp(c + 7, packed + 1, 32) == 0);
  fresh();
  /* An object of tvm-ffi's that holds a tensor; strides of a dense one, whatever they are for a 1. */
  struct { TVMFFIObject header; DLTensor tensor; } object = {{1, 70, 0, NULL}, tb};
  int64_t dense[2] = {2, 1};
  object.tensor.strides = dense;
  const TVMFFIAny arguments[] = {any(&ta), {.type_index = 70, .v_obj = &object.header}, any(&tc)};
  CHECK(__tvm_ffi_mm(NULL, arguments, 3, &result) == 0);
  CHECK(failed_with(__tvm_ffi_mm(NULL, arguments, 2, &result), "TypeError", "takes 3 tensors", mm_error()));
  object.header.type_index = 71;
  TVMFFIAny other[3];
  memcpy(other, arguments, sizeof other);
  other[1].type_index = 71;
  CHECK(failed_with(__tvm_ffi_mm(NULL, other, 3, &result), "TypeError", "the input b of mm is no tensor", mm_error()));
  other[1] = (TVMFFIAny){.type_index = 0};
  CHECK(failed_with(__tvm_ffi_mm(NULL, other, 3, &result), "TypeError", "no tensor", mm_error()));
  /* Memory that a GPU can reach, too. */
  ta.device.device_type = 3;
  CHECK(call(&ta, &tb, &tc) == 0);
  fresh();
  ta.device.device_type = 2; REFUSED("ValueError", "is on device 2 of DLPack");
  tb.dtype.bits = 64; REFUSED("TypeError", "the input b of mm takes float32");
  tb.dtype.code = 0; REFUSED("TypeError", "type 0");
  tb.dtype.lanes = 4; REFUSED("TypeError", "4 lanes");
  ta.shape[1] = 4; REFUSED("ValueError", "the input a of mm takes the shape (2, 3), not (2, 4)");
  ta.ndim = 1; REFUSED("ValueError", "not (2,)");
  tc.shape[0] = 15; REFUSED("ValueError", "the output c of mm takes the shape (14,), not (15,)");
  int64_t columns[2] = {1, 2};
  ta.strides = columns; REFUSED("ValueError", "the input a of mm is not contiguous");
  tb.data = NULL; REFUSED("ValueError", "the input b of mm is NULL");
  tb.data = (char *)b + 2; REFUSED("ValueError", "not aligned to its elements");
  tc.data = a; REFUSED("ValueError", "the output c of mm overlaps the input a");
  tc = tensor(c, 1, 14, 0, 2, 32);
  tb.data = c + 13; REFUSED("ValueError", "overlaps the input b");
  CHECK(call(&ta, &tb, &tc) == 0);
  return 0;
}
)C";

const QByteArray kNetwork = R"C(
#include "net.h"
#include <pthread.h>
int __tvm_ffi_net(void *, const TVMFFIAny *, int32_t, TVMFFIAny *);
static _Thread_local void *seen[2];
static pthread_barrier_t barrier;
static int meet;
void net_kernel0(void *const *buffers, void *workspace, int32_t threads) {
  (void)threads;
  memcpy(seen, buffers, sizeof seen);
  memcpy(workspace, buffers[0], 64);
  if (meet) pthread_barrier_wait(&barrier); /* all are inside at once */
  memcpy(buffers[1], workspace, 64);
}
enum { THREADS = 100 };
_Alignas(64) static float in[THREADS][16], out[THREADS][16];
static int run(int i) {
  DLTensor x = {in[i], {1, 0}, 2, {2, 32, 1}, (int64_t[]){4, 4}, (int64_t[]){4, 1}, 0};
  DLTensor y = {out[i], {1, 0}, 1, {2, 32, 1}, (int64_t[]){16}, (int64_t[]){1}, 0};
  const TVMFFIAny arguments[] = {any(&x), any(&y)};
  TVMFFIAny result;
  return __tvm_ffi_net(NULL, arguments, 2, &result);
}
static void *work(void *i) {
  const int number = (int)(intptr_t)i;
  CHECK(run(number) == 0);
  CHECK(seen[0] == in[number] && seen[1] == out[number]);
  CHECK(memcmp(in[number], out[number], 64) == 0);
  return NULL;
}
int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i)
    for (int e = 0; e < 16; ++e) in[i][e] = i + 0.01F * e;
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (meet = 1; meet >= 0; --meet) {
    memset(out, 0, sizeof out);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  }
  meet = 0;
  DLTensor y = {out[0], {1, 0}, 1, {2, 32, 1}, (int64_t[]){16}, NULL, 0};
  const TVMFFIAny wrong[] = {any(&y), any(&y)};
  TVMFFIAny result;
  CHECK(failed_with(__tvm_ffi_net(NULL, wrong, 2, &result), "ValueError", "the input x of net takes the shape (4, 4), not (16,)", net_error()));
  return 0;
}
)C";

class TvmFfiCalls : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { tools_ = requiredCTools(); }

  void tensorsAreCheckedAndUsedWhereTheyAre_data() {
    QTest::addColumn<bool>("network");
    QTest::addColumn<QStringList>("options");
    const QStringList checked = {"-fsanitize=address,undefined", "-fno-sanitize-recover"};
    const QStringList runtime = {"-DWITH_RUNTIME", "-rdynamic"};
    QTest::newRow("operator") << false << runtime;
    QTest::newRow("operator, checked") << false << runtime + checked;
    QTest::newRow("operator without tvm-ffi") << false << QStringList();
    QTest::newRow("network") << true << runtime;
    QTest::newRow("network, checked") << true << runtime + checked;
    QTest::newRow("network, threads checked") << true << runtime + QStringList{"-fsanitize=thread"};
    QTest::newRow("network without tvm-ffi") << true << QStringList();
  }

  void tensorsAreCheckedAndUsedWhereTheyAre() {
    QFETCH(bool, network);
    QFETCH(QStringList, options);
    QTemporaryDir folder;
    const auto file = [&](const QString& name) { return folder.filePath(name); };
    const Library library = network ? madeUpNetwork() : madeUpOperator();
    const QString header = QString::fromStdString(library.name()) + ".h";
    write(file(header), QByteArray::fromStdString(headerText(library)));
    write(file("glue.c"), QByteArray::fromStdString(glueText(library, {})));
    write(file("tvm_ffi.c"), QByteArray::fromStdString(tvmFfiText(library)));
    write(file("call.c"), kAbi + (network ? kNetwork : kOperator));
    const ProgramResult built =
        runIn(folder.path(), QString::fromStdString(tools_.compiler),
              QStringList{"-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "glue.c",
                          "tvm_ffi.c", "call.c", "-pthread", "-lm", "-o", "call"} +
                  options);
    QVERIFY2(built.exitCode == 0, built.errors);
    const ProgramResult ran = runIn(folder.path(), file("call"), {});
    QVERIFY2(ran.exitCode == 0, ran.errors);
  }

  void theFunctionsAreLetOut() {
    const std::string exported = exportsText(madeUpOperator());
    QCOMPARE(tvmFfiNames(madeUpOperator()),
             (std::vector<std::string>{"__tvm_ffi_mm", "__tvm_ffi_mm_pack_b"}));
    for (const std::string& name : tvmFfiNames(madeUpOperator()))
      QVERIFY(exported.find(' ' + name + ';') != std::string::npos);
  }

 private:
  CTools tools_;
};

NW_TEST_GUILESS(TvmFfiCalls)

} // namespace nestwright::tvm_ffi_calls_test

#include "tvm_ffi_calls.moc"
