/// The operator for ONNX Runtime, compiled alone and called as ONNX Runtime calls it, by a table of
/// functions in its order.

#include "core/deploy/library_text.h"
#include "core/deploy/onnxruntime_op.h"
#include "core/deploy/write_library.h"
#include "tests/deploy/c_program.h"
#include "tests/deploy/made_up_library.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace nestwright::onnxruntime_calls_test {

using namespace deploy_test;

/// Places in the table as onnxruntime_c_api.h has them.
const QByteArray kRuntime = R"C(
#include "net.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(x) do { if (!(x)) { fprintf(stderr, "line %d: %s; %s\n", __LINE__, #x, text); exit(1); } } while (0)
static _Thread_local char text[512];
static int made_domains, added_ops, added_domains, offered = API;
static struct tensor { int type; size_t rank; int64_t shape[4]; void *data; } *no_tensor;
struct run { struct tensor x, y; };
static void *const *op;

static void *create_status(int code, const char *message) {
  snprintf(text, sizeof text, "%d %s", code, message);
  return text;
}
static void *create_domain(const char *name, void **result) {
  CHECK(strcmp(name, "nestwright.net") == 0);
  ++made_domains;
  *result = &made_domains;
  return NULL;
}
static void *add_op(void *domain, const void *it) {
  CHECK(domain == &made_domains && *(const uint32_t *)it == API);
  ++added_ops;
  op = it;
  return NULL;
}
static void *add_domain(void *options, void *domain) {
  CHECK(options == &added_domains && domain == &made_domains);
  ++added_domains;
  return NULL;
}
static void *data(struct tensor *tensor, void **result) { return *result = tensor->data, NULL; }
static void *element_type(const struct tensor *tensor, int *result) { return *result = tensor->type, NULL; }
static void *rank(const struct tensor *tensor, size_t *result) { return *result = tensor->rank, NULL; }
static void *shape(const struct tensor *tensor, int64_t *result, size_t count) {
  CHECK(count == tensor->rank);
  return memcpy(result, tensor->shape, count * sizeof *result), NULL;
}
static int infos;
static void *shape_info(struct tensor *tensor, struct tensor **result) {
  __atomic_add_fetch(&infos, 1, __ATOMIC_RELAXED);
  return *result = tensor, NULL;
}
static void release_shape_info(struct tensor *tensor) {
  if (tensor) __atomic_sub_fetch(&infos, 1, __ATOMIC_RELAXED);
}
static void *input(struct run *run, size_t index, struct tensor **result) {
  CHECK(index == 0);
  return *result = &run->x, NULL;
}
static void *output(struct run *run, size_t index, const int64_t *extents, size_t count, struct tensor **result) {
  CHECK(index == 0 && count == 1 && extents[0] == 16);
  return *result = run->y.data ? &run->y : no_tensor, run->y.data ? NULL : create_status(1, "no output");
}
static int loops;
static void *parallel_for(void *run, void (*body)(void *, size_t), size_t count, size_t batches, void *given) {
  (void)run, (void)batches;
  ++loops;
  for (size_t i = count; i-- > 0;) body(given, i);
  return loops == 2 ? create_status(1, "no threads") : NULL;
}
static void *table[300];
static const void *get(uint32_t version) { return version <= (uint32_t)offered ? table : NULL; }
static const char *version_text(void) { return "made up"; }
static const struct { const void *(*get)(uint32_t); const char *(*version_text)(void); } base = {get, version_text};
void *RegisterCustomOps(void *options, const void *base);

/* Members of OrtCustomOp, by place. */
#define MEMBER(place, type) ((type)op[place])
static const char *name_of(int place) { return MEMBER(place, const char *(*)(const void *))(op); }
static size_t number(int place) { return MEMBER(place, size_t (*)(const void *))(op); }
static int of_first(int place) { return MEMBER(place, int (*)(const void *, size_t))(op, 0); }
static void *create(void **kernel) {
  return MEMBER(17, void *(*)(const void *, const void *, const void *, void **))(op, table, NULL, kernel);
}
static void *compute(void *kernel, struct run *run) { return MEMBER(18, void *(*)(void *, void *))(kernel, run); }

static _Thread_local void *seen[2];
static pthread_barrier_t barrier;
static int meet;
#ifdef POOL
void net_parallel(void (*)(void *), void *, unsigned, unsigned);
#endif
static void part(void *given) { ((float *)given)[0] += 1; }
void net_kernel0(void *const *buffers, void *workspace, int32_t threads) {
  (void)threads;
  memcpy(seen, buffers, sizeof seen);
  memcpy(workspace, buffers[0], 64);
  if (meet) pthread_barrier_wait(&barrier);
  memcpy(buffers[1], workspace, 64);
  float counted = 0;
#ifdef POOL
  net_parallel(part, &counted, 3, 0);
  CHECK(counted == 3);
#endif
  (void)counted, (void)part;
}
enum { THREADS = 50 };
_Alignas(64) static float in[THREADS][16], out[THREADS][16];
static void *kernel;
static struct run run_of(int i) {
  return (struct run){{1, 2, {4, 4}, in[i]}, {1, 1, {16}, out[i]}};
}
static void *work(void *i) {
  const int number = (int)(intptr_t)i;
  struct run run = run_of(number);
  CHECK(compute(kernel, &run) == NULL && seen[0] == in[number] && seen[1] == out[number]);
  CHECK(memcmp(in[number], out[number], 64) == 0);
  return NULL;
}
int main(void) {
  table[0] = create_status, table[26] = create_domain, table[27] = add_op, table[28] = add_domain;
  table[51] = data, table[60] = element_type, table[61] = rank, table[62] = shape, table[65] = shape_info;
  table[90] = input, table[91] = output, table[99] = release_shape_info, table[274] = parallel_for;
  offered = API - 1;
  CHECK(RegisterCustomOps(&added_domains, &base) == text && strstr(text, "1 net needs ONNX Runtime 1.1"));
  offered = API + 5;
  CHECK(RegisterCustomOps(&added_domains, &base) == NULL && RegisterCustomOps(&added_domains, &base) == NULL);
  CHECK(made_domains == 1 && added_ops == 1 && added_domains == 2);
  CHECK(strcmp(name_of(2), "net") == 0 && strcmp(name_of(3), "CPUExecutionProvider") == 0);
  CHECK(of_first(4) == 1 && number(5) == 1 && of_first(6) == 1 && number(7) == 1 && of_first(10) == 0 && of_first(11) == 0);
  CHECK(create(&kernel) == NULL);
  for (int i = 0; i < THREADS; ++i)
    for (int e = 0; e < 16; ++e) in[i][e] = i + 0.01F * e;
#ifdef POOL
  work(0);
  struct run failing = run_of(1);
  CHECK(compute(kernel, &failing) == text && strstr(text, "no threads") && loops == 2);
  work(0);
#else
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (meet = 1; meet >= 0; --meet) {
    memset(out, 0, sizeof out);
    for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  }
  meet = 0;
  struct run run = run_of(0);
  run.x.shape[1] = 5;
  CHECK(compute(kernel, &run) == text && strstr(text, "2 an input of net has another shape or type than the model says: x"));
  run = run_of(0);
  run.x.rank = 1;
  CHECK(compute(kernel, &run) == text);
  run = run_of(0);
  run.x.type = 11;
  CHECK(compute(kernel, &run) == text);
  run = run_of(0);
  run.y.data = NULL;
  CHECK(compute(kernel, &run) == text && strstr(text, "no output"));
  run = run_of(0);
  run.y.data = in[0];
  CHECK(compute(kernel, &run) == text && strstr(text, "overlap"));
  (void)loops;
#endif
  CHECK(infos == 0);
  MEMBER(9, void (*)(void *))(kernel);
  return 0;
}
)C";

class OnnxRuntimeCalls : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { tools_ = requiredCTools(); }

  void itComputesWhereTheTensorsAre_data() {
    QTest::addColumn<bool>("pool");
    QTest::addColumn<QString>("check");
    QTest::newRow("plain") << false << "-O2";
    QTest::newRow("checked") << false << "-fsanitize=address,undefined";
    QTest::newRow("threads checked") << false << "-fsanitize=thread";
    QTest::newRow("ONNX Runtime's threads") << true << "-fsanitize=address,undefined";
  }

  void itComputesWhereTheTensorsAre() {
    QFETCH(bool, pool);
    QFETCH(QString, check);
    QTemporaryDir folder;
    const auto file = [&](const QString& name) { return folder.filePath(name); };
    Library library = madeUpNetwork();
    if (pool) library.deployment.options.threading = Threading::Callback;
    write(file("net.h"), QByteArray::fromStdString(headerText(library)));
    write(file("glue.c"), QByteArray::fromStdString(glueText(library, {})));
    write(file("op.c"), QByteArray::fromStdString(onnxRuntimeText(library)));
    write(file("call.c"), kRuntime);
    const ProgramResult built =
        runIn(folder.path(), QString::fromStdString(tools_.compiler),
              {"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", check, pool ? "-DPOOL" : "-DNONE",
               pool ? "-DAPI=17" : "-DAPI=16", "glue.c", "op.c", "call.c", "-pthread", "-lm", "-o",
               "call"});
    QVERIFY2(built.exitCode == 0, built.errors);
    const ProgramResult ran = runIn(folder.path(), file("call"), {});
    QVERIFY2(ran.exitCode == 0, ran.errors);
  }

 private:
  CTools tools_;
};

NW_TEST_GUILESS(OnnxRuntimeCalls)

} // namespace nestwright::onnxruntime_calls_test

#include "onnxruntime_calls.moc"
