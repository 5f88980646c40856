#include "core/network/graph/workloads.h"

#include "core/support/error.h"
#include "core/tensor/text.h"
#include "tests/support/test_program.h"

#include <fmt/ranges.h>

#include <QTest>

namespace nestwright::workloads_test {

std::string names(const ComputeDag& dag) {
  std::string text;
  for (const Op& op : dag.ops()) {
    std::vector<std::string> axes;
    for (const auto* kind : {&op->axes, &op->reduceAxes})
      for (const Axis& axis : *kind)
        axes.push_back(axis.name());
    text += op->name() + (axes.empty() ? "" : fmt::format("({})", fmt::join(axes, ","))) + " ";
  }
  text.pop_back();
  return text;
}

std::vector<std::int64_t> outputShape(const ComputeDag& dag) {
  return dag.outputs().front()->output->shape;
}

class WorkloadsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsOfAnsorsBenchmark_data();
  void countsOfAnsorsBenchmark();
  void namesAreTvms_data();
  void namesAreTvms();
  void everyWorkloadParsesFromItsOwnText();
  void halvesAreSummedInSinglePrecision();
  void badTextIsRefused_data();
  void badTextIsRefused();
};

// handbook/networks.md 5: MACs at batch 1. Padding and inner conditions are free; 2 operations a
// MAC.
void WorkloadsTest::countsOfAnsorsBenchmark_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<qlonglong>("macs");
  const auto row = [](const char* text, qlonglong macs) { QTest::newRow(text) << text << macs; };
  row("conv1d:l=256,ci=64,co=128,k=3,s=2,p=1", 3145728);
  row("conv1d:l=128,ci=128,co=256,k=1,s=2,p=0", 2097152);
  row("conv1d:l=64,ci=256,co=256,k=5,s=1,p=2", 20971520);
  row("conv1d:l=32,ci=512,co=512,k=3,s=1,p=1", 25165824);
  row("conv2d:h=224,w=224,ci=3,co=64,k=7,s=2,p=3", 118013952);
  row("conv2d:h=56,w=56,ci=64,co=64,k=1,s=1,p=0", 12845056);
  row("conv2d:h=14,w=14,ci=256,co=256,k=3,s=1,p=1", 115605504);
  row("conv3d:d=16,h=224,w=224,ci=3,co=64,k=7,s=2,p=3", 6608781312);
  row("conv3d:d=16,h=7,w=7,ci=512,co=512,k=3,s=1,p=1", 5549064192);
  row("matmul:m=512,n=512,k=512", 134217728);
  row("grouped_conv2d:h=56,w=56,ci=64,co=128,k=3,s=2,p=1,dil=1,g=4", 14450688);
  row("grouped_conv2d:h=56,w=56,ci=64,co=64,k=1,s=1,p=0,dil=1,g=4", 3211264);
  row("dilated_conv2d:h=224,w=224,ci=3,co=64,k=7,s=2,p=3,dil=2", 111776448);
  row("dilated_conv2d:h=14,w=14,ci=256,co=256,k=3,s=1,p=1,dil=2", 84934656);
  row("depthwise_conv2d:h=112,w=112,c=32,k=3,s=1,p=1", 3612672);
  row("depthwise_conv2d:h=14,w=14,c=512,k=3,s=2,p=1", 225792);
  row("transposed_conv2d:h=4,w=4,ci=512,co=256,k=4,s=2,p=1", 134217728);
  row("transposed_conv2d:h=32,w=32,ci=64,co=3,k=4,s=2,p=1", 12582912);
  row("batch_matmul:b=12,m=128,n=128,k=64", 12582912);
  row("norm:m=256,n=256", 65536);
}

void WorkloadsTest::countsOfAnsorsBenchmark() {
  QFETCH(QString, text);
  QFETCH(qlonglong, macs);
  const Workload workload = parseTaskSpec(text.toStdString());
  double products = 0;
  for (const Op& op : workload.dag.ops())
    if (op->reducer) {
      double count = 1;
      for (const auto* axes : {&op->axes, &op->reduceAxes})
        for (const Axis& axis : *axes)
          count *= static_cast<double>(axis.extent);
      products += count;
    }
  QCOMPARE(static_cast<qlonglong>(products), macs);
}

void WorkloadsTest::namesAreTvms_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("names");
  QTest::addColumn<QString>("shape");
  const auto row = [](const char* text, const char* names, const char* shape) {
    QTest::newRow(text) << text << names << shape;
  };
  row("matmul", "A B C(i,j,k)", "512 512");
  row("conv2d:bias=1,relu=1",
      "data pad_temp(i0,i1,i2,i3) kernel conv2d_nhwc(nn,yy,xx,ff,ry,rx,rc) bias "
      "T_add(ax0,ax1,ax2,ax3) compute(i0,i1,i2,i3)",
      "1 56 56 64");
  row("conv2d:k=1,p=0", "data kernel conv2d_nhwc(nn,yy,xx,ff,ry,rx,rc)", "1 56 56 64");
  row("depthwise_conv2d:bias=1,relu=1",
      "data PaddedInput(i0,i1,i2,i3) kernel DepthwiseConv2d(b,i,j,c,di,dj) bias "
      "T_add(ax0,ax1,ax2,ax3) compute(i0,i1,i2,i3)",
      "1 112 112 32");
  row("softmax:m=1,n=1024",
      "A T_softmax_maxelem(i0,k) T_softmax_exp(i0,i1) T_softmax_expsum(i0,k) T_softmax_norm(i0,i1)",
      "1 1024");
  row("batch_matmul:nt=1", "X Y T_batch_matmul_NT(b,i,j,k)", "12 128 128");
  row("transposed_conv2d",
      "data pad_temp(i0,i1,i2,i3) kernel conv2d_transpose_nhwc(nn,yy,xx,ff,ry,rx,rc)", "1 8 8 256");
  row("dilated_conv2d:h=224,w=224,ci=3,co=64,k=7,s=2,p=3",
      "data pad_temp(i0,i1,i2,i3) kernel conv2d_nhwc(nn,yy,xx,ff,ry,rx,rc)", "1 109 109 64");
  row("norm", "A C(b,i,j) D(b)", "1");
}

void WorkloadsTest::namesAreTvms() {
  QFETCH(QString, text);
  QFETCH(QString, shape);
  const Workload workload = parseTaskSpec(text.toStdString());
  QTEST(QString::fromStdString(names(workload.dag)), "names");
  QCOMPARE(QString::fromStdString(fmt::format("{}", fmt::join(outputShape(workload.dag), " "))),
           shape);
}

void WorkloadsTest::everyWorkloadParsesFromItsOwnText() {
  QVERIFY(workloads().size() >= 11);
  for (const WorkloadInfo& info : workloads()) {
    QVERIFY(isTaskSpec(info.name));
    const Workload first = parseTaskSpec(info.name);
    const Workload again = parseTaskSpec(first.text);
    QCOMPARE(again.text, first.text);
    QCOMPARE(names(again.dag), names(first.dag));
    QVERIFY2(flops(first.dag) > 0, info.name.c_str());
  }
  // Stored texts of matmul do not know its last parameter.
  QCOMPARE(parseTaskSpec("matmul:const_b=1").text,
           std::string("matmul:m=512,n=512,k=512,bias=0,relu=0"));
  const Workload changing = parseTaskSpec("matmul:const_b=0");
  QCOMPARE(changing.text, std::string("matmul:m=512,n=512,k=512,bias=0,relu=0,const_b=0"));
  QVERIFY(changing.dag.outputs()[0]->attributes.layoutFreeInputs.empty());
  QVERIFY(!isTaskSpec("resnet50:batch=1"));
}

void WorkloadsTest::halvesAreSummedInSinglePrecision() {
  QCOMPARE(
      QString::fromStdString(print(parseTaskSpec("matmul:m=4,n=5,k=6,bias=1,relu=1,bf16=1").dag)),
      QString("A = PLACEHOLDER [4, 6] bfloat16\n"
              "B = PLACEHOLDER [6, 5] bfloat16\n"
              "C(i, j) += (float32(A[i, k])*float32(B[k, j])) @layout_free_placeholders(B)\n"
              "bias = PLACEHOLDER [1, 5] bfloat16\n"
              "T_add(ax0, ax1) = (C[ax0, ax1] + float32(bias[0, ax1]))\n"
              "compute(i0, i1) = max(T_add[i0, i1], 0f)\n"
              "T_cast(ax0, ax1) = bfloat16(compute[ax0, ax1])\n"));
  for (const WorkloadInfo& info : workloads())
    for (const char* flag : {"bf16", "fp16"}) {
      const Workload plain = parseTaskSpec(info.name + ":" + flag + "=0");
      QCOMPARE(plain.text, parseTaskSpec(info.name).text);
      const Workload half = parseTaskSpec(info.name + ":" + flag + "=1");
      QVERIFY2(half.text.ends_with(std::string(flag) + "=1"), half.text.c_str());
      QCOMPARE(parseTaskSpec(half.text).text, half.text);
      QCOMPARE(flops(half.dag), flops(plain.dag));
      for (const Op& op : half.dag.ops()) {
        const bool inMemory = op->isPlaceholder() || op->name() == "T_cast" ||
                              op->name() == "pad_temp" || op->name() == "PaddedInput";
        QCOMPARE(op->output->type.isHalf(), inMemory);
      }
      QCOMPARE(half.dag.outputs().front()->name(), std::string("T_cast"));
    }
}

void WorkloadsTest::badTextIsRefused_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("mentions");
  const auto row = [](const char* text, const char* mentions) {
    QTest::newRow(text) << text << mentions;
  };
  row("conv4d", "conv2d");
  row("matmul:q=3", "m, n, k");
  row("matmul:m=0", "out of range");
  row("matmul:m=two", "whole number");
  row("matmul:m", "batch=1");
  row("matmul:m=1,m=2", "twice");
  row("conv2d:h=3,k=9,p=1", "does not fit");
  row("grouped_conv2d:g=3", "do not divide");
  row("transposed_conv2d:p=4", "below the kernel");
  row("matmul:bf16=1,fp16=1", "leave out");
  row("softmax:bf16=2", "out of range");
}

void WorkloadsTest::badTextIsRefused() {
  QFETCH(QString, text);
  QFETCH(QString, mentions);
  try {
    parseTaskSpec(text.toStdString());
    QFAIL("accepted");
  } catch (const InputError& error) {
    QVERIFY2(QString(error.what()).contains(mentions), error.what());
  }
}

NW_TEST_APPLESS(WorkloadsTest)

} // namespace nestwright::workloads_test

#include "workloads.moc"
