/// Which templates fit which tasks, and what is said where none does.

#include "core/network/graph/workloads.h"
#include "core/network/zoo/shared_tasks.h"
#include "core/schedule/state.h"
#include "core/template/relaid_dag.h"
#include "core/template/template_programs.h"
#include "core/tensor/evaluate.h"
#include "core/tensor/text.h"
#include "tests/lower/random_tensors.h"
#include "tests/support/test_program.h"
#include "tests/support/thrown.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <set>

namespace nestwright::task_templates_test {

using nlohmann::json;

ComputeDag taskOf(const QString& text) {
  const std::string source = text.toStdString();
  return isTaskSpec(source) ? parseTaskSpec(source).dag : parseDag(source);
}

QString namesOf(const TaskTemplates& templates) {
  QStringList names;
  for (const TaskTemplate& each : templates.fitting)
    names << each.kind->name;
  return names.join(" ");
}

std::vector<NamedEntity> entities(const char* text) {
  std::vector<NamedEntity> list;
  for (const json& entity : json::parse(text))
    list.push_back(namedEntityFromJson(entity));
  return list;
}

class TaskTemplatesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// With the arguments that a log of AutoTVM would have.
  void fitTasks_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("names");
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<bool>("onGpu");
    const auto row = [](const char* task, const char* names, const char* arguments,
                        bool onGpu = false) {
      QTest::addRow("%s%s", task, onGpu ? ", on a GPU" : "")
          << QString(task) << QString(names) << QString(arguments) << onGpu;
    };
    row("matmul:m=64,n=48,k=32,bias=1,relu=1", "dense_pack.x86 dense_nopack.x86",
        R"([["TENSOR",[64,32],"float32"],["TENSOR",[48,32],"float32"],null,"float32"])");
    row("matmul:m=1,n=48,k=32,fp16=1", "dense_nopack.x86 dense_pack.x86",
        R"([["TENSOR",[1,32],"float16"],["TENSOR",[48,32],"float16"],null,"float32"])");
    row("batch_matmul:b=12,m=128,n=64,k=32", "batch_matmul.x86",
        R"([["TENSOR",[12,128,32],"float32"],["TENSOR",[12,64,32],"float32"],[12,128,64],)"
        R"("float32",false,true])");
    row("conv2d:n=2,h=56,w=48,ci=64,co=128,k=3,s=2,p=1,relu=1", "conv2d_NCHWc.x86",
        R"([["TENSOR",[2,64,56,48],"float32"],["TENSOR",[128,64,3,3],"float32"],[2,2],[1,1,1,1],)"
        R"([1,1],"NCHW","NCHW","float32"])");
    row("dilated_conv2d:h=14,w=14,ci=8,co=16,p=2", "conv2d_NCHWc.x86",
        R"([["TENSOR",[1,8,14,14],"float32"],["TENSOR",[16,8,3,3],"float32"],[1,1],[2,2,2,2],)"
        R"([2,2],"NCHW","NCHW","float32"])");
    row("depthwise_conv2d:h=28,w=14,c=96,k=3,s=1,p=1,bias=1", "depthwise_conv2d_NCHWc.x86",
        R"([["TENSOR",[1,96,28,14],"float32"],["TENSOR",[96,1,3,3],"float32"],[1,1],[1,1,1,1],)"
        R"([1,1],"NCHW","NCHW","float32"])");
    row("conv3d:d=4,h=8,w=6,ci=8,co=16,k=3,s=1,p=1", "conv3d_ndhwc.x86",
        R"([["TENSOR",[1,4,8,6,8],"float32"],["TENSOR",[3,3,3,8,16],"float32"],[1,1,1],)"
        R"([1,1,1,1,1,1],[1,1,1],1,"float32"])");
    row("matmul:m=32,n=48,k=32,bias=1,relu=1", "dense_large_batch.gpu dense_small_batch.gpu",
        R"([["TENSOR",[32,32],"float32"],["TENSOR",[48,32],"float32"],null,"float32"])", true);
    row("matmul:m=31,n=48,k=32,fp16=1", "dense_small_batch.gpu dense_large_batch.gpu",
        R"([["TENSOR",[31,32],"float16"],["TENSOR",[48,32],"float16"],null,"float32"])", true);
    row("batch_matmul:b=12,m=128,n=64,k=32", "batch_matmul.cuda",
        R"([["TENSOR",[12,128,32],"float32"],["TENSOR",[12,64,32],"float32"],[12,128,64],)"
        R"("float32",false,true])",
        true);
    row("conv2d:n=2,h=56,w=48,ci=64,co=128,k=3,s=2,p=1,relu=1", "conv2d_nchw.cuda",
        R"([["TENSOR",[2,64,56,48],"float32"],["TENSOR",[128,64,3,3],"float32"],[2,2],[1,1,1,1],)"
        R"([1,1],"float32"])",
        true);
    row("depthwise_conv2d:h=28,w=14,c=96,k=3,s=1,p=1,bias=1", "depthwise_conv2d_nchw.cuda",
        R"([["TENSOR",[1,96,28,14],"float32"],["TENSOR",[96,1,3,3],"float32"],[1,1],[1,1,1,1],)"
        R"([1,1],"float32"])",
        true);
  }

  void fitTasks() {
    QFETCH(bool, onGpu);
    QFETCH(QString, task);
    QFETCH(QString, names);
    QFETCH(QString, arguments);
    const TaskTemplates templates = templatesFor(
        taskOf(task), TemplateVersion::V0_11, onGpu ? TemplateMachine::Gpu : TemplateMachine::Cpu);
    QVERIFY2(templates.whyNone.empty(), templates.whyNone.c_str());
    QCOMPARE(namesOf(templates), names);
    for (const TaskTemplate& each : templates.fitting)
      QCOMPARE(each.kind->machine == TemplateMachine::Gpu, onGpu);
    QCOMPARE(QString::fromStdString(templates.fitting[0].arguments.list().dump()), arguments);
  }

  void othersAreNamedWithTheReason_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* task, const char* reason) {
      QTest::newRow(name) << QString(task) << QString(reason);
    };
    row("groups", "grouped_conv2d:h=6,w=6,ci=8,co=16,g=4", "grouped");
    row("transposed", "transposed_conv2d", "transposed");
    row("softmax", "softmax:m=6,n=37", "2 reductions (T_softmax_maxelem, T_softmax_expsum)");
    row("norm", "norm:m=5,n=70", "multiplies A by itself");
    row("one axis", "conv1d:l=11,ci=4,co=20", "convolutions over 1 axis");
    row("elementwise", "A = PLACEHOLDER [9]\nB(i) = exp(A[i])\n", "no reduction");
    row("pooling",
        "A = PLACEHOLDER [1, 8, 8, 24]\n"
        "P(n, h=4, w=4, c) {rh=2, rw=2} max= A[n, ((h*2) + rh), ((w*2) + rw), c]\n",
        "P is no sum of products");
    row("several kernels a channel",
        "A = PLACEHOLDER [1, 8, 8, 6]\n"
        "W = PLACEHOLDER [3, 3, 6, 2]\n"
        "D(b, i=6, j=6, c=12) += (A[b, (i + di), (j + dj), floordiv(c, 2)]*W[di, dj, floordiv(c, "
        "2), floormod(c, 2)])\n",
        "reads A at places");
    row("Winograd",
        "A = PLACEHOLDER [6, 6, 4]\n"
        "T = CONSTANT [4, 6] {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, "
        "0}\n"
        "C(e, n, p) += (T[e, r]*A[r, n, p]) @simplify_const_tensor_indices(e)\n",
        "Winograd");
    row("two results",
        "A = PLACEHOLDER [9, 9]\nB = PLACEHOLDER [9, 9]\nC(i, j) += (A[i, k]*B[k, j])\n"
        "D(i, j) = (C[i, j] + 1f)\nE(i, j) = (C[i, j]*2f)\n",
        "2 results");
    row("reshaped behind",
        "A = PLACEHOLDER [6, 8]\nB = PLACEHOLDER [8, 4]\nC(i, j) += (A[i, k]*B[k, j])\n"
        "D(n=24) = C[floordiv(n, 4), floormod(n, 4)]\n",
        "D reads C otherwise than element for element");
    row("data behind",
        "A = PLACEHOLDER [8, 8]\nB = PLACEHOLDER [8, 8]\nC(i, j) += (A[i, k]*B[k, j])\n"
        "D(i, j) = (C[i, j] + A[i, j])\n",
        "A is read in two places");
    row("three factors",
        "A = PLACEHOLDER [8, 8]\nB = PLACEHOLDER [8, 8]\nC(i, j) += ((A[i, k]*2f)*B[k, j])\n",
        "something else than two tensors");
  }

  void othersAreNamedWithTheReason() {
    QFETCH(QString, task);
    QFETCH(QString, reason);
    const TaskTemplates templates = templatesFor(taskOf(task));
    QCOMPARE(namesOf(templates), QString());
    const QString said = QString::fromStdString(templates.whyNone);
    QVERIFY2(said.contains(reason), qPrintable(said));
    QVERIFY2(said.startsWith("no template fits: "), qPrintable(said));
  }

  /// All that multiplies in these networks has one.
  void networksHaveThem() {
    int fitting = 0;
    for (const SharedTask& shared :
         sharedTasks({"resnet18", "mobilenet_v2", "bert_tiny", "r3d_18"})) {
      const QString name = QString::fromStdString(shared.task.description);
      const bool multiplies = name.contains("Conv") || name.startsWith("MatMul");
      const TaskTemplates templates = templatesFor(shared.task.dag);
      QVERIFY2(templates.fitting.empty() != multiplies,
               qPrintable(name + ": " + QString::fromStdString(templates.whyNone)));
      for (const TaskTemplate& each : templates.fitting)
        State::replay(templateProgram(shared.task.dag, each, each.space.at(0)).dag, {});
      fitting += multiplies ? 1 : 0;
    }
    QVERIFY(fitting > 60);
  }

  /// The eleven of a BERT's public log.
  void tasksOfLogsAreKnown_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("key");
    const auto dense = [](const char* kind, int rows, int columns, int sum) {
      QTest::addRow("%s %d %d %d", kind, rows, columns, sum)
          << QString(kind)
          << QString(
                 R"([["TENSOR",[%1,%3],"float32"],["TENSOR",[%2,%3],"float32"],null,"float32"])")
                 .arg(rows)
                 .arg(columns)
                 .arg(sum)
          << QString("dense[%1,%2]=sum(data[%1,%3],weight[%2,%3])").arg(rows).arg(columns).arg(sum);
    };
    dense("dense_nopack.x86", 1, 768, 768);
    for (const char* kind : {"dense_pack.x86", "dense_nopack.x86"}) {
      dense(kind, 128, 2304, 768);
      dense(kind, 128, 768, 768);
      dense(kind, 128, 3072, 768);
      dense(kind, 128, 768, 3072);
    }
    const auto batch = [](int m, int n, int k) {
      QTest::addRow("batch_matmul.x86 %d %d %d", m, n, k)
          << QString("batch_matmul.x86")
          << QString(
                 R"([["TENSOR",[12,%1,%3],"float32"],["TENSOR",[12,%2,%3],"float32"],[12,%1,%2]])")
                 .arg(m)
                 .arg(n)
                 .arg(k)
          << QString("T_batch_matmul[12,%1,%2]=sum(x[12,%1,%3],y[12,%2,%3])").arg(m).arg(n).arg(k);
    };
    batch(128, 128, 64);
    batch(128, 64, 128);
  }

  void tasksOfLogsAreKnown() {
    QFETCH(QString, kind);
    QFETCH(QString, arguments);
    QFETCH(QString, key);
    const TemplateArguments given(json::parse(arguments.toStdString()));
    const ComputeDag task = templateTask(*findTemplate(kind.toStdString()), given);
    const QString workload = QString::fromStdString(workloadKey(task));
    QVERIFY2(workload.startsWith(key), qPrintable(workload));
    const TaskTemplate of = templateNamed(task, kind.toStdString(), TemplateVersion::V0_8);
    QCOMPARE(QString::fromStdString(of.arguments.list().dump()), arguments);
    const std::optional<LoggedTask> logged =
        loggedTask(json{kind.toStdString(), given.list(), json::object()}.dump());
    QVERIFY(logged && logged->kind == of.kind);
    QVERIFY(!loggedTask(R"(["conv2d_nhwc",1,56,56])"));
  }

  /// In another order of dimensions: channels first here, last there.
  void tasksOfLogsComputeWhatOursDo_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("ours");
    const auto row = [](const char* kind, const char* arguments, const char* ours) {
      QTest::newRow(kind) << QString(kind) << QString(arguments) << QString(ours);
    };
    row("conv2d_NCHWc.x86",
        R"([["TENSOR",[2,3,7,6],"float32"],["TENSOR",[4,3,3,3],"float32"],[2,2],[1,1],[1,1]])",
        "conv2d:n=2,h=7,w=6,ci=3,co=4,k=3,s=2,p=1");
    row("depthwise_conv2d_NCHWc.x86",
        R"([["TENSOR",[1,4,5,6],"float32"],["TENSOR",[4,1,3,3],"float32"],[1,1],[1,1],[1,1]])",
        "depthwise_conv2d:n=1,h=5,w=6,c=4,k=3,s=1,p=1");
    row("conv3d_ncdhw.x86",
        R"([["TENSOR",[1,2,4,3,5],"float32"],["TENSOR",[3,2,3,3,3],"float32"],2,1,1])",
        "conv3d:n=1,d=4,h=3,w=5,ci=2,co=3,k=3,s=2,p=1");
    row("conv3d_ndhwc.x86",
        R"([["TENSOR",[1,4,3,5,2],"float32"],["TENSOR",[3,3,3,2,3],"float32"],2,1,1])",
        "conv3d:n=1,d=4,h=3,w=5,ci=2,co=3,k=3,s=2,p=1");
  }

  void tasksOfLogsComputeWhatOursDo() {
    QFETCH(QString, kind);
    QFETCH(QString, arguments);
    QFETCH(QString, ours);
    const ComputeDag mine = taskOf(ours);
    const ComputeDag logged = templateTask(*findTemplate(kind.toStdString()),
                                           TemplateArguments(json::parse(arguments.toStdString())));
    Random random(7);
    const Tensors inputs = randomInputs(mine, random);
    const bool moves = !kind.contains("ndhwc");
    const auto channelsFirst = [&](const ComputeDag& task, const char* tensor,
                                   const Tensors& from) {
      const Op& op = task[static_cast<std::size_t>(task.indexOf(std::string_view(tensor)))];
      const int rank = static_cast<int>(op->output->shape.size());
      const bool isKernel = std::string_view(tensor) == "kernel";
      const bool isDepthwise = kind.startsWith("depthwise");
      LayoutMaker layout(op->output->shape);
      if (isKernel) // of a depthwise one [.., C, 1], else [.., C, K]
        layout.whole(isDepthwise ? rank - 2 : rank - 1, "a")
            .whole(isDepthwise ? rank - 1 : rank - 2, "b");
      else
        layout.whole(0, "n").whole(rank - 1, "c");
      for (int d = isKernel ? 0 : 1; d < rank - (isKernel ? 2 : 1); ++d)
        layout.whole(d, "d");
      std::vector<double> moved(from.at(tensor).size());
      layout.layout().pack(from.at(tensor).data(), moved.data(), sizeof(double));
      return moves ? moved : from.at(tensor);
    };
    const Tensors expected = evaluate(mine, inputs);
    const std::string result = mine.outputs()[0]->name();
    const Tensors actual = evaluate(logged, {{"data", channelsFirst(mine, "data", inputs)},
                                             {"kernel", channelsFirst(mine, "kernel", inputs)}});
    const std::string wrong =
        difference({{"result", channelsFirst(mine, result.c_str(), expected)}},
                   {{"result", actual.at(logged.outputs()[0]->name())}});
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  /// The entities are the truth, whatever the index says.
  void configurationsOfLogsHavePrograms() {
    const TemplateKind& kind = *findTemplate("dense_pack.x86");
    const TemplateArguments arguments(
        {{"TENSOR", {16, 24}, "float32"}, {"TENSOR", {32, 24}, "float32"}, nullptr, "float32"});
    const auto logged = [](const char* text) { return loggedConfig(json::parse(text)); };
    TemplatePrograms templates(templateTask(kind, arguments));
    const TemplateConfig old =
        templates.configOf(logged(R"({"index": 5, "entity": [["tile_y", "sp", [4, 2, 2]],
                                ["tile_x", "sp", [1, 2, 16]], ["tile_k", "sp", [6, 4]]]})"));
    QCOMPARE(old.version, TemplateVersion::V0_8);
    const TemplateProgram program = templates.program(old);
    QVERIFY(!program.steps.empty());
    // Without tile_inner, every row of a tile is unrolled.
    const TemplateConfig newer =
        templates.configOf(logged(R"({"index": 5, "entity": [["tile_y", "sp", [4, 2, 2]],
                                ["tile_x", "sp", [1, 2, 16]], ["tile_k", "sp", [6, 4]],
                                ["tile_inner", "sp", [-1, 1]]]})"));
    QCOMPARE(newer.version, TemplateVersion::V0_11);
    const TemplateProgram same = templates.program(newer);
    QCOMPARE(programId(same.dag, same.steps), programId(program.dag, program.steps));
    // Where the index agrees in some version, it is that one.
    const TemplateKind& packed = *findTemplate("conv2d_NCHWc.x86");
    const TemplateArguments convolution({{"TENSOR", {1, 4, 14, 14}, "float32"},
                                         {"TENSOR", {8, 4, 3, 3}, "float32"},
                                         {1, 1},
                                         {1, 1},
                                         {1, 1}});
    TemplatePrograms convolutions(templateTask(packed, convolution));
    for (const TemplateVersion version : {TemplateVersion::TopHub, TemplateVersion::V0_11}) {
      const ConfigSpace space = packed.space(convolution, version);
      const LoggedConfig last{space.size() - 1, space.at(space.size() - 1)};
      QCOMPARE(convolutions.configOf(last).version, version);
    }
    const std::string message = test::messageOf([&] {
      (void)templates.configOf(logged(R"({"index": 0, "entity": [["tile_y", "sp", [4, 2, 2]]]})"));
    });
    QCOMPARE(message, std::string("no template of the task has the configuration"));
  }

  /// ResNet's first convolution, in a log for a GPU: its space, and the program of a line.
  void logsForGpusHavePrograms() {
    const TemplateKind& kind = *findTemplate("conv2d_nchw.cuda");
    const TemplateArguments arguments({{"TENSOR", {1, 3, 224, 224}, "float32"},
                                       {"TENSOR", {64, 3, 7, 7}, "float32"},
                                       {2, 2},
                                       {3, 3, 3, 3},
                                       {1, 1},
                                       "float32"});
    const ComputeDag task = templateTask(kind, arguments);
    const TaskTemplate of = templateNamed(task, kind.name);
    QCOMPARE(of.space.size(), std::int64_t{79'027'200});
    QCOMPARE(QString::fromStdString(of.arguments.list().dump()),
             QString::fromStdString(arguments.list().dump()));
    const LoggedConfig logged =
        loggedConfig(json::parse(R"({"index": 61271175, "entity": [["tile_f", "sp", [-1, 1, 16, 4]],
                        ["tile_y", "sp", [-1, 1, 4, 1]], ["tile_x", "sp", [-1, 2, 8, 1]],
                        ["tile_rc", "sp", [-1, 3]], ["tile_ry", "sp", [-1, 1]],
                        ["tile_rx", "sp", [-1, 7]], ["auto_unroll_max_step", "ot", 512],
                        ["unroll_explicit", "ot", 1]]})"));
    const TemplateConfig config = TemplatePrograms(task).configOf(logged);
    QCOMPARE(of.space.indexOf(config.entities), logged.index);
    const TemplateProgram program = templateProgram(task, config);
    QVERIFY(State::replay(program.dag, program.steps).isConcrete());
    const TemplateConfig read = templateConfigFromJson(json::parse(toJson(config).dump()));
    const TemplateProgram again = templateProgram(parseDag(print(task)), read);
    QCOMPARE(programId(again.dag, again.steps), programId(program.dag, program.steps));
  }

  void whatCannotBeIsSaid() {
    const ComputeDag task = taskOf("matmul:m=64,n=48,k=32");
    const auto message = [](const std::function<void()>& work) {
      return QString::fromStdString(test::messageOf(work));
    };
    const auto program = [&](const char* kind, const char* config) {
      return message([&] {
        (void)templateProgram(task, {kind, TemplateVersion::V0_11, entities(config)});
      });
    };
    QVERIFY(program("dense.x86", "[]").contains("there is no template \"dense.x86\"; there are "));
    QVERIFY(program("batch_matmul.cuda", "[]")
                .contains("batch_matmul.cuda does not compute this task; dense_large_batch.gpu or "
                          "dense_small_batch.gpu does"));
    QVERIFY(program("conv2d_NCHWc.x86", "[]")
                .contains("does not compute this task; dense_pack.x86 or dense_nopack.x86 does"));
    const QString wrong =
        program("dense_nopack.x86", R"([["tile_y","sp",[-1,3]],["tile_x","sp",[-1,8]],)"
                                    R"(["tile_k","sp",[-1,8]]])");
    QVERIFY2(wrong.contains("tile_y cannot be [-1,3]; the nearest of its 7 values is [-1,4]"),
             qPrintable(wrong));
    QVERIFY(message([] {
              (void)templateConfigFromJson(json::parse(R"({"template": "x"})"));
            }).contains("is no program of a template"));
    QVERIFY(message([] {
              (void)templateConfigFromJson(
                  json::parse(R"({"template": "x", "version": "v1", "entity": []})"));
            }).contains("\"v1\" is no version of the templates"));
    const TemplateArguments convolution({{"TENSOR", {1, 4, 8, 8}, "float32"},
                                         {"TENSOR", {8, 4, 3, 3}, "float32"},
                                         {1, 1},
                                         {1, 1},
                                         {1, 1}});
    const TaskTemplates none = templatesFor(taskOf("conv3d:d=4,h=8,w=6,ci=8,co=16,k=3,s=1,p=1"),
                                            TemplateVersion::V0_11, TemplateMachine::Gpu);
    QVERIFY(none.fitting.empty());
    QVERIFY(QString::fromStdString(none.whyNone).contains("none for convolutions over 3 axes"));
    QVERIFY(message([&] {
              (void)templateTask(*findTemplate("depthwise_conv2d_NCHWc.x86"), convolution);
            }).contains("4 kernels a channel"));
    // Whatever numbers a log has, nothing takes for ever.
    const TemplateArguments huge({{"TENSOR", {1 << 30, 1 << 30}, "float32"},
                                  {"TENSOR", {1 << 30, 1 << 30}, "float32"},
                                  nullptr,
                                  nullptr});
    QVERIFY_EXCEPTION_THROWN(templateTask(*findTemplate("dense_pack.x86"), huge), InputError);
  }
};

NW_TEST_APPLESS(TaskTemplatesTest)

} // namespace nestwright::task_templates_test

#include "task_templates.moc"
