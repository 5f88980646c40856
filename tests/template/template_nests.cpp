/// Programs of templates have the loops that the public code gives them (handbook/cost-models.md
/// 3.3).

#include "core/network/graph/workloads.h"
#include "core/schedule/bounds.h"
#include "core/template/task_template.h"
#include "tests/support/test_program.h"

#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::template_nests_test {

using nlohmann::json;

class TemplateNests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void areThoseOfThePublicCode_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("nest");
    const auto row = [](const char* name, const char* kind, const char* task, const char* config,
                        const char* nest) {
      QTest::newRow(name) << QString(kind) << QString(task) << QString(config)
                          << QString(nest).mid(1); // the line break that it begins with
    };
    row("product", "dense_pack.x86", "matmul:m=64,n=96,k=32",
        R"([["tile_y","sp",[-1,4,8]],["tile_x","sp",[-1,3,16]],["tile_k","sp",[-1,4]],["tile_inner","sp",[-1,1]]])",
        R"(
Placeholder: A, B
parallel x.0@y.0@ (0,4)
  for y.1@x.1@ (0,12)
    for k.0 (0,8)
      unroll k.1 (0,4)
        unroll y_c (((floormod(x.outer.outer.y.outer.outer.fused, 2)*32) + (floordiv(y.outer.inner.x.outer.inner.fused, 3)*8)),8)
          vectorize x_c (((floordiv(x.outer.outer.y.outer.outer.fused, 2)*48) + (floormod(y.outer.inner.x.outer.inner.fused, 3)*16)),16)
            C.global = ...
    unroll y.2 (0,8)
      vectorize x.2 (0,16)
        C = ...
)");
    row("product, rows inside, fused", "dense_pack.x86", "matmul:m=64,n=96,k=32,bias=1,relu=1",
        R"([["tile_y","sp",[-1,4,8]],["tile_x","sp",[-1,3,16]],["tile_k","sp",[-1,4]],["tile_inner","sp",[-1,2]]])",
        R"(
Placeholder: A, B, bias
parallel x.0@y.0@ (0,4)
  for y.1@x.1@ (0,12)
    for k.0 (0,8)
      unroll y_c.0 (0,4)
        unroll k.1 (0,4)
          unroll y_c.1 (0,2)
            vectorize x_c (((floordiv(x.outer.outer.y.outer.outer.fused, 2)*48) + (floormod(y.outer.inner.x.outer.inner.fused, 3)*16)),16)
              C.global = ...
    unroll y.2 (0,8)
      vectorize x.2 (0,16)
        C = ...
  for y.1 (0,4)
    for x.1 (0,3)
      for y.2 (0,8)
        vectorize x.2 (0,16)
          compute = ...
)");
    row("product, weights as they are", "dense_nopack.x86", "matmul:m=64,n=96,k=32",
        R"([["tile_y","sp",[-1,4]],["tile_x","sp",[-1,3]],["tile_k","sp",[-1,8]]])",
        R"(
Placeholder: A, B
parallel ax0.0@ax1.0@ (0,512)
  for k_o (0,4)
    unroll y@x@ (0,12)
      vectorize k_i (0,8)
        C.rf = ...
  for ax0.1 (0,4)
    for ax1.1 (0,3)
      unroll k_i_v (0,8)
        C.repl = ...
)");
    row("product, weights as they are, fused", "dense_nopack.x86", "matmul:m=64,n=96,k=32,relu=1",
        R"([["tile_y","sp",[-1,4]],["tile_x","sp",[-1,3]],["tile_k","sp",[-1,8]]])",
        R"(
Placeholder: A, B
parallel y.0@x.0@ (0,512)
  for k_o (0,4)
    unroll y@x@ (0,12)
      vectorize k_i (0,8)
        C.rf = ...
  for ax0.1 (0,4)
    for ax1.1 (0,3)
      unroll k_i_v (0,8)
        C.repl = ...
  for y.1 (0,4)
    vectorize x.1 (0,3)
      compute = ...
)");
    row("products", "batch_matmul.x86", "batch_matmul:b=4,m=64,n=96,k=32",
        R"([["tile_y","sp",[-1,4]],["tile_x","sp",[-1,3]],["tile_k","sp",[-1,8]]])",
        R"(
Placeholder: X, Y
T_batch_matmul_NN auto_unroll: 16
parallel b@y.0@x.0@ (0,2048)
  vectorize k_i (0,8)
    for y_c@x_c@ (0,12)
      for k_o (0,4)
        T_batch_matmul_NN.global.rf = ...
  for ax1 ((floordiv(floormod(b.y.outer.fused.x.outer.fused, 512), 32)*4),4)
    for ax2 ((floormod(b.y.outer.fused.x.outer.fused, 32)*3),3)
      for k_i_v (0,8)
        T_batch_matmul_NN.global.repl = ...
  for y.1 (0,4)
    for x.1 (0,3)
      T_batch_matmul_NN = ...
)");
    row("convolution", "conv2d_NCHWc.x86", "conv2d:n=2,h=14,w=14,ci=16,co=32,k=3,s=1,p=1",
        R"([["tile_ic","sp",[-1,4]],["tile_oc","sp",[-1,8]],["tile_ow","sp",[-1,7]],["unroll_kw","ot",true]])",
        R"(
Placeholder: data, kernel
parallel n@ic_chunk@ih@ (0,128)
  for iw (0,16)
    vectorize ic_block (0,4)
      pad_temp = ...
parallel n@oc_chunk@oh@ (0,112)
  for ow.0 (0,2)
    for ic.0 (0,4)
      for kh (0,3)
        for ic.1 (0,4)
          unroll kw (0,3)
            unroll ow_c.1 (0,7)
              vectorize oc_block_c (0,8)
                conv2d_nhwc.global = ...
    for ow.1 (0,7)
      vectorize oc_block (0,8)
        conv2d_nhwc = ...
)");
    row("convolution, tail, fused", "conv2d_NCHWc.x86",
        "conv2d:n=2,h=14,w=14,ci=16,co=32,k=3,s=1,p=1,relu=1",
        R"([["tile_ic","sp",[-1,4]],["tile_oc","sp",[-1,8]],["tile_ow","sp",[-1,4]],["unroll_kw","ot",false]])",
        R"(
Placeholder: data, kernel
parallel n@ic_chunk@ih@ (0,128)
  for iw (0,16)
    vectorize ic_block (0,4)
      pad_temp = ...
parallel n@oc_chunk@oh@ (0,112)
  for ow.0 (0,4)
    for ic.0 (0,4)
      for kh (0,3)
        for kw (0,3)
          for ic.1 (0,4)
            unroll ow_c.1 (0,4)
              vectorize oc_block_c (0,8)
                conv2d_nhwc.global = ...
    for ow.1 (0,4)
      vectorize oc_block (0,8)
        conv2d_nhwc = ...
  for ow.0 (0,4)
    for ow.1 (0,4)
      vectorize oc_block (0,8)
        compute = ...
)");
    row("1 x 1, fused", "conv2d_NCHWc.x86", "conv2d:n=2,h=14,w=14,ci=16,co=32,k=1,s=1,p=0,relu=1",
        R"([["tile_ic","sp",[-1,4]],["tile_oc","sp",[-1,8]],["tile_ow","sp",[-1,7]],["tile_oh","ot",2]])",
        R"(
Placeholder: data, kernel
parallel n@oc_chunk@oh.0@ (0,56)
  for ow_c.0 (0,2)
    for ic.0 (0,4)
      for ic.1 (0,4)
        unroll oh_c.1 (0,2)
          unroll ow_c.1 (0,7)
            vectorize oc_block_c (0,8)
              conv2d_nhwc.global = ...
  for ow.0 (0,2)
    for oh.1 (0,2)
      for ow.1 (0,7)
        vectorize oc_block (0,8)
          conv2d_nhwc = ...
  for ow.0 (0,2)
    for oh.1 (0,2)
      for ow.1 (0,7)
        vectorize oc_block (0,8)
          compute = ...
)");
    row("depthwise, fused", "depthwise_conv2d_NCHWc.x86",
        "depthwise_conv2d:n=2,h=14,w=14,c=32,relu=1",
        R"([["tile_ic","sp",[-1,4]],["tile_oc","sp",[-1,8]],["tile_ow","sp",[-1,7]],["unroll_kw","ot",true]])",
        R"(
Placeholder: data, kernel
parallel n@ic_chunk@ih@ (0,256)
  for iw (0,16)
    vectorize ic_block (0,4)
      PaddedInput = ...
for n (0,2)
  parallel oc_chunk@oh@ (0,56)
    for ow.0 (0,2)
      for kh (0,3)
        unroll kw (0,3)
          unroll ow_c ((ow.outer*7),7)
            vectorize oc_block_c (0,8)
              DepthwiseConv2d.global = ...
      for ow.1 (0,7)
        vectorize oc_block (0,8)
          DepthwiseConv2d = ...
    for ow.0 (0,2)
      for ow.1 (0,7)
        vectorize oc_block (0,8)
          compute = ...
)");
    row("three axes, fused", "conv3d_ndhwc.x86", "conv3d:n=2,d=4,h=14,w=14,ci=16,co=32,relu=1",
        R"([["tile_ic","sp",[-1,4]],["tile_oc","sp",[-1,8]],["tile_ow","sp",[-1,7]],["unroll_kw","ot",true]])",
        R"(
Placeholder: data, kernel
parallel n@ic_chunk@id@ih@ (0,768)
  for ic_block (0,4)
    for iw (0,16)
      pad_temp = ...
parallel n@oc_chunk@od@oh@ (0,448)
  for ow.0 (0,2)
    for ic.0 (0,4)
      for kd (0,3)
        for kh (0,3)
          for ic.1 (0,4)
            unroll kw (0,3)
              unroll ow_c.1 (0,7)
                vectorize oc_block_c (0,8)
                  conv3d_ndhwc.global = ...
    for ow.1 (0,7)
      vectorize oc_block (0,8)
        conv3d_ndhwc = ...
  for ow.0 (0,2)
    for ow.1 (0,7)
      vectorize oc_block (0,8)
        compute = ...
)");
    row("conv2d on a GPU", "conv2d_nchw.cuda", "conv2d:n=2,h=14,w=14,ci=16,co=32,k=3,s=1,p=1",
        R"([["tile_f","sp",[-1,2,4,2]],["tile_y","sp",[-1,1,7,1]],["tile_x","sp",[-1,2,7,1]],["tile_rc","sp",[-1,4]],["tile_ry","sp",[-1,3]],["tile_rx","sp",[-1,1]],["auto_unroll_max_step","ot",512],["unroll_explicit","ot",0]])",
        R"(
Placeholder: data, kernel
conv2d_nhwc auto_unroll: 512
blockIdx.z n@oc.0@ (0,4)
  blockIdx.y oh.0 (0,2)
    vthread oc.1 (0,2)
      vthread ow.1 (0,2)
        threadIdx.z oc.2 (0,4)
          threadIdx.y oh.2 (0,7)
            threadIdx.x ow.2 (0,7)
              for ic.0 (0,4)
                for kw.0 (0,3)
                  threadIdx.z ax0@ax1@ax2@ax3@.0 (0,4)
                    threadIdx.y ax0@ax1@ax2@ax3@.1 (0,7)
                      threadIdx.x ax0@ax1@ax2@ax3@.2 (0,7)
                        for ax0@ax1@ax2@ax3@.3 (0,3)
                          pad_temp.shared = ...
                  threadIdx.z ax0@ax1@ax2@ax3@.0 (0,4)
                    threadIdx.y ax0@ax1@ax2@ax3@.1 (0,7)
                      threadIdx.x ax0@ax1@ax2@ax3@.2 (0,7)
                        kernel.shared = ...
                  for ic.1 (0,4)
                    for kh.1 (0,3)
                      for oc_c ((((floormod(n.oc.outer.outer.outer.fused, 2)*16) + (oc.outer.outer.inner*8)) + (oc.outer.inner*2)),2)
                        conv2d_nhwc.local = ...
              for oc.3 (0,2)
                conv2d_nhwc = ...
)");
    row("conv2d on a GPU, fused", "conv2d_nchw.cuda",
        "conv2d:n=1,h=14,w=14,ci=16,co=32,k=1,s=1,p=0,bias=1,relu=1",
        R"([["tile_f","sp",[-1,1,8,2]],["tile_y","sp",[-1,1,7,1]],["tile_x","sp",[-1,1,2,1]],["tile_rc","sp",[-1,8]],["tile_ry","sp",[-1,1]],["tile_rx","sp",[-1,1]],["auto_unroll_max_step","ot",0],["unroll_explicit","ot",1]])",
        R"(
Placeholder: data, kernel, bias
blockIdx.z n@oc.0@ (0,2)
  blockIdx.y oh.0 (0,2)
    blockIdx.x ow.0 (0,7)
      threadIdx.z oc.2 (0,8)
        threadIdx.y oh.2 (0,7)
          threadIdx.x ow.2 (0,2)
            for ic.0 (0,2)
              threadIdx.z ax0@ax1@ax2@ax3@.0 (0,8)
                threadIdx.y ax0@ax1@ax2@ax3@.1 (0,7)
                  threadIdx.x ax0@ax1@ax2@ax3@.2 (0,2)
                    data.shared = ...
              threadIdx.z ax0@ax1@ax2@ax3@.0 (0,8)
                threadIdx.y ax0@ax1@ax2@ax3@.1 (0,7)
                  threadIdx.x ax0@ax1@ax2@ax3@.2 (0,2)
                    for ax0@ax1@ax2@ax3@.3 (0,2)
                      kernel.shared = ...
              for ic.1 (0,8)
                for oc_c (((floormod(n.oc.outer.outer.outer.fused, 2)*16) + (oc.outer.inner*2)),2)
                  conv2d_nhwc.local = ...
            for oc.3 (0,2)
              compute = ...
)");
    row("depthwise on a GPU, fused", "depthwise_conv2d_nchw.cuda",
        "depthwise_conv2d:n=2,h=14,w=14,c=32,relu=1",
        R"([["tile_f","sp",[-1,2,4,1]],["tile_y","sp",[-1,1,7,2]],["tile_x","sp",[-1,1,14,1]],["auto_unroll_max_step","ot",256],["unroll_explicit","ot",1]])",
        R"(
Placeholder: data, kernel
compute auto_unroll: 256
blockIdx.z n@oc.0@ (0,8)
  for ax0@ax1@ax2@ax3@.0 (0,6)
    threadIdx.z ax0@ax1@ax2@ax3@.1 (0,4)
      threadIdx.y ax0@ax1@ax2@ax3@.2 (0,7)
        threadIdx.x ax0@ax1@ax2@ax3@.3 (0,14)
          PaddedInput.shared = ...
  threadIdx.z ax0@ax1@ax2@.1 (0,4)
    threadIdx.y ax0@ax1@ax2@.2 (0,7)
      threadIdx.x ax0@ax1@ax2@.3 (0,14)
        kernel.shared = ...
  vthread oc.1 (0,2)
    threadIdx.z oc.2 (0,4)
      threadIdx.y oh.2 (0,7)
        threadIdx.x ow.2 (0,14)
          for ax2 ((oh.outer.inner*2),4)
            for ax3 (ow.outer.inner,3)
              PaddedInput.shared.local = ...
          for ax1 (0,3)
            for ax2 (0,3)
              kernel.shared.local = ...
          for oh_c ((oh.outer.inner*2),2)
            for kh (0,3)
              for kw (0,3)
                DepthwiseConv2d.local = ...
          for oh.3 (0,2)
            compute = ...
)");
    row("product of many rows on a GPU", "dense_large_batch.gpu", "matmul:m=64,n=128,k=32,relu=1",
        R"([["tile_x","sp",[-1,2,8,4]],["tile_y","sp",[-1,2,8,4]],["tile_k","sp",[-1,4,2]]])",
        R"(
Placeholder: A, B
blockIdx.y x.0 (0,2)
  vthread x.1 (0,2)
    vthread y.1 (0,2)
      threadIdx.y x.2 (0,8)
        threadIdx.x y.2 (0,8)
          C.local pipeline_stages: 2
          for k.0 (0,4)
            threadIdx.y ax0.0 (0,8)
              for ax0.1 (0,8)
                threadIdx.x ax1.1.0 (0,8)
                  A.shared = ...
            threadIdx.y ax0.0 (0,8)
              for ax0.1 (0,8)
                threadIdx.x ax1.1.0 (0,8)
                  B.shared = ...
            unroll k.1 (0,4)
              for ax0 (((y.outer.outer.inner*32) + (y.outer.inner*4)),4)
                for ax1 (((k.outer.outer*8) + (k.outer.inner*2)),2)
                  A.shared.local = ...
              for ax0 ((((x.outer.outer.outer*64) + (x.outer.outer.inner*32)) + (x.outer.inner*4)),4)
                for ax1 (((k.outer.outer*8) + (k.outer.inner*2)),2)
                  B.shared.local = ...
              for k.2 (0,2)
                for y_c (((y.outer.outer.inner*32) + (y.outer.inner*4)),4)
                  for x_c ((((x.outer.outer.outer*64) + (x.outer.outer.inner*32)) + (x.outer.inner*4)),4)
                    C.local = ...
          for x.3 (0,4)
            for y.3 (0,4)
              compute = ...
)");
    row("product of few rows on a GPU, fused", "dense_small_batch.gpu",
        "matmul:m=4,n=96,k=256,bias=1", R"([["tile_k","sp",[-1,64]]])",
        R"(
Placeholder: A, B, bias
blockIdx.y y (0,4)
  blockIdx.x x (0,96)
    threadIdx.x k_i_v (0,64)
      for k_o (0,4)
        C.rf = ...
      C.repl = ...
    T_add = ...
)");
    row("product of few rows on a GPU", "dense_small_batch.gpu", "matmul:m=4,n=96,k=256",
        R"([["tile_k","sp",[-1,64]]])",
        R"(
Placeholder: A, B
blockIdx.y ax0 (0,4)
  blockIdx.x ax1 (0,96)
    threadIdx.x k_i_v (0,64)
      for k_o (0,4)
        C.rf = ...
      C.repl = ...
)");
    row("products on a GPU", "batch_matmul.cuda", "batch_matmul:b=4,m=64,n=96,k=32",
        R"([["tile_y","sp",[-1,8,4]],["tile_x","sp",[-1,16,3]],["tile_k","sp",[-1,8]],["auto_unroll_max_step","ot",16],["unroll_explicit","ot",0]])",
        R"(
Placeholder: X, Y
T_batch_matmul_NN auto_unroll: 16
blockIdx.z b (0,4)
  blockIdx.y y.0 (0,2)
    blockIdx.x x.0 (0,2)
      threadIdx.y y.1 (0,8)
        threadIdx.x x.1 (0,16)
          for k.0 (0,4)
            threadIdx.y ax1.0 (0,8)
              threadIdx.x ax2.0 (0,16)
                for ax1.1 (0,4)
                  X.shared = ...
            threadIdx.y ax1.0 (0,8)
              threadIdx.x ax2.0 (0,16)
                for ax1.1 (0,6)
                  Y.shared = ...
            for k.1 (0,8)
              for ax1 (((y.outer.outer*32) + (y.outer.inner*4)),4)
                X.shared.local = ...
              for ax1 (((x.outer.outer*48) + (x.outer.inner*3)),3)
                Y.shared.local = ...
              for y_c (((y.outer.outer*32) + (y.outer.inner*4)),4)
                for x_c (((x.outer.outer*48) + (x.outer.inner*3)),3)
                  T_batch_matmul_NN.local = ...
          for y.2 (0,4)
            for x.2 (0,3)
              T_batch_matmul_NN = ...
)");
  }

  void areThoseOfThePublicCode() {
    QFETCH(QString, kind);
    QFETCH(QString, task);
    QFETCH(QString, config);
    QFETCH(QString, nest);
    const ComputeDag dag = parseTaskSpec(task.toStdString()).dag;
    std::vector<NamedEntity> entities;
    for (const json& entity : json::parse(config.toStdString()))
      entities.push_back(namedEntityFromJson(entity));
    const TemplateProgram program =
        templateProgram(dag, {kind.toStdString(), TemplateVersion::V0_11, entities});
    const State state = withBounds(State::replay(program.dag, program.steps));
    QCOMPARE(QString::fromStdString(printLoopNest(state)), nest);
  }
};

NW_TEST_APPLESS(TemplateNests)

} // namespace nestwright::template_nests_test

#include "template_nests.moc"
