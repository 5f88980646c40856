#pragma once
/// \file The rows of tests of template programs: each executable template on tasks of several
/// shapes, with tails and with what is fused behind it, as logs and as our own networks have them.

#include "core/network/graph/workloads.h"
#include "core/support/error.h"
#include "core/template/task_template.h"
#include "core/tensor/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <QtTest>

namespace nestwright::test {

/// A task specification, a DAG's text, or the arguments of the template in a log.
inline ComputeDag templateTaskOf(const QString& kind, const QString& text) {
  const std::string source = text.toStdString();
  if (source.front() == '[')
    return templateTask(*findTemplate(kind.toStdString()),
                        TemplateArguments(nlohmann::json::parse(source)));
  return isTaskSpec(source) ? parseTaskSpec(source).dag : parseDag(source);
}

inline TaskTemplate fittingTemplate(const ComputeDag& task, const QString& kind) {
  for (TaskTemplate& each : templatesFor(task).fitting)
    if (kind == each.kind->name) return std::move(each);
  throw InputError(
      fmt::format("{} does not fit: {}", kind.toStdString(), templatesFor(task).whyNone));
}

inline constexpr const char* kTemplateConv =
    "data = PLACEHOLDER [1, 7, 9, 4]\n"
    "pad_temp(i0, i1=9, i2=11, i3) = tir.if_then_else(((((i1 >= 1) && (i1 < 8)) && (i2 >= 1)) && "
    "(i2 < 10)), data[i0, (i1 - 1), (i2 - 1), i3], 0f)\n"
    "kernel = PLACEHOLDER [3, 3, 4, 6]\n"
    "conv2d_nhwc(nn, yy=7, xx=9, ff) += (pad_temp[nn, (yy + ry), (xx + rx), rc]*kernel[ry, rx, rc, "
    "ff]) @layout_free_placeholders(kernel)\n"
    "bias = PLACEHOLDER [1, 1, 1, 6]\n"
    "T_add(ax0, ax1, ax2, ax3) = (conv2d_nhwc[ax0, ax1, ax2, ax3] + bias[ax0, 0, 0, ax3])\n"
    "scale = CONSTANT [6] {1, 0.5, 2, 0.25, 3, -1}\n"
    "T_mul(ax0, ax1, ax2, ax3) = (T_add[ax0, ax1, ax2, ax3]*scale[ax3])\n"
    "residual = PLACEHOLDER [1, 7, 9, 6]\n"
    "T_add_1(ax0, ax1, ax2, ax3) = (T_mul[ax0, ax1, ax2, ax3] + residual[ax0, ax1, ax2, ax3])\n"
    "compute(i0, i1, i2, i3) = max(min(T_add_1[i0, i1, i2, i3], 6f), 0f)\n";

/// Heads of attention: two batch axes in another order than the operands have.
inline constexpr const char* kTemplateAttention =
    "X = PLACEHOLDER [2, 6, 3, 8]\n"
    "Y = PLACEHOLDER [2, 10, 3, 8]\n"
    "P(b0, b1, i, j) += (X[b0, i, b1, k]*Y[b0, j, b1, k])\n"
    "Q(ax0, ax1, ax2, ax3) = (P[ax0, ax1, ax2, ax3]/8f)\n";

inline constexpr const char* kTemplateGelu =
    "A = PLACEHOLDER [6, 20]\n"
    "B = PLACEHOLDER [20, 24]\n"
    "C(i, j) += (A[i, k]*B[k, j]) @layout_free_placeholders(B)\n"
    "bias = PLACEHOLDER [1, 24]\n"
    "T_add(ax0, ax1) = (C[ax0, ax1] + bias[0, ax1])\n"
    "T_multiply(ax0, ax1) = (T_add[ax0, ax1]*(tir.erf((T_add[ax0, ax1]/1.4142135f)) + 1f))\n"
    "T_multiply_1(ax0, ax1) = (T_multiply[ax0, ax1]*0.5f)\n";

inline constexpr const char* kTemplateConv3d =
    "data = PLACEHOLDER [1, 4, 3, 5, 6]\n"
    "kernel = PLACEHOLDER [6, 4, 2, 3, 3]\n"
    "conv3d_ncdhw(nn, ff, yy=2, xx=3, zz=4) += (data[nn, rc, (yy + ry), (xx + rx), (zz + "
    "rz)]*kernel[ff, rc, ry, rx, rz])\n"
    "bias = PLACEHOLDER [1, 6, 1, 1, 1]\n"
    "T_add(ax0, ax1, ax2, ax3, ax4) = (conv3d_ncdhw[ax0, ax1, ax2, ax3, ax4] + bias[ax0, ax1, 0, "
    "0, 0])\n"
    "T_relu(ax0, ax1, ax2, ax3, ax4) = max(T_add[ax0, ax1, ax2, ax3, ax4], 0f)\n";

/// Columns `kind`, the template, and `text`, the task as templateTaskOf() reads it.
inline void addTemplateTasks() {
  QTest::addColumn<QString>("kind");
  QTest::addColumn<QString>("text");
  const auto row = [](const char* kind, const char* what, const char* text) {
    QTest::addRow("%s, %s", kind, what) << QString(kind) << QString(text);
  };
  for (const char* kind : {"dense_pack.x86", "dense_nopack.x86"}) {
    row(kind, "as in a log",
        R"([["TENSOR",[8,12],"float32"],["TENSOR",[20,12],"float32"],null,"float32"])");
    row(kind, "tails", "matmul:m=15,n=14,k=9");
    row(kind, "fused", kTemplateGelu);
    row(kind, "half, fused", "matmul:m=7,n=18,k=6,bias=1,relu=1,bf16=1");
    row(kind, "bias in a log",
        R"([["TENSOR",[1,12],"float32"],["TENSOR",[9,12],"float32"],["TENSOR",[9],"float32"],null])");
    row(kind, "stored by columns",
        "A = PLACEHOLDER [9, 18]\n"
        "B = PLACEHOLDER [16, 9]\n"
        "C(j, i) += (A[k, i]*B[j, k])\n"
        "D(j, i) = max(C[j, i], 0f)\n");
  }
  row("dense_pack.x86", "operands that are computed",
      "A = PLACEHOLDER [6, 8]\n"
      "E(i, j) = exp(A[i, j])\n"
      "F(i, j) = (E[i, j]*0.5f)\n"
      "B = PLACEHOLDER [10, 8]\n"
      "G(i, j) = max(B[i, j], 0f)\n"
      "C(i, j) += (F[i, k]*G[j, k])\n"
      "S = PLACEHOLDER [10]\n"
      "T(j) = (S[j] + 1f)\n"
      "D(i, j) = (C[i, j]*T[j])\n");
  const char* kind = "batch_matmul.x86";
  row(kind, "as in a log",
      R"([["TENSOR",[3,6,8],"float32"],["TENSOR",[3,10,8],"float32"],[3,6,10]])");
  row(kind, "odd", "batch_matmul:b=2,m=5,n=9,k=7");
  row(kind, "fused, two batch axes", kTemplateAttention);
  row(kind, "not transposed",
      R"([["TENSOR",[3,4,6],"float32"],["TENSOR",[3,6,8],"float32"],[3,4,8],null,false,false])");
  kind = "conv2d_NCHWc.x86";
  row(kind, "tails", "conv2d:n=1,h=9,w=7,ci=6,co=8,k=3,s=1,p=1");
  row(kind, "fused", kTemplateConv);
  row(kind, "strides, two images, fused",
      "conv2d:n=2,h=7,w=11,ci=4,co=12,k=3,s=2,p=1,bias=1,relu=1");
  row(kind, "dilated", "dilated_conv2d:n=1,h=9,w=9,ci=3,co=8,k=3,s=1,p=2");
  row(kind, "NCHW",
      R"([["TENSOR",[1,4,8,9],"float32"],["TENSOR",[6,4,3,2],"float32"],[2,1],)"
      R"([1,0,2,1],[1,2],"NCHW","NCHW","float32"])");
  row(kind, "1 x 1, tails", "conv2d:n=1,h=7,w=6,ci=6,co=8,k=1,s=1,p=0");
  row(kind, "1 x 1, fused", "conv2d:n=2,h=6,w=5,ci=5,co=12,k=1,s=1,p=0,bias=1,relu=1,bf16=1");
  row(kind, "1 x 1, NCHW",
      R"([["TENSOR",[1,6,9,9],"float32"],["TENSOR",[8,6,1,1],"float32"],[2,2],[0,0,0,0],[1,1],)"
      R"("NCHW","NCHW","float32"])");
  kind = "depthwise_conv2d_NCHWc.x86";
  row(kind, "channels last", "depthwise_conv2d:n=1,h=8,w=7,c=12,k=3,s=1,p=1");
  row(kind, "fused", "depthwise_conv2d:n=2,h=7,w=9,c=8,k=3,s=2,p=1,bias=1,relu=1");
  row(kind, "without padding", "depthwise_conv2d:n=1,h=6,w=10,c=6,k=3,s=1,p=0");
  row(kind, "NCHW",
      R"([["TENSOR",[1,6,8,8],"float32"],["TENSOR",[6,1,3,3],"float32"],[1,1],)"
      R"([1,1,1,1],[1,1],"NCHW","NCHW","float32"])");
  kind = "conv3d_ndhwc.x86";
  row(kind, "channels last", "conv3d:n=1,d=4,h=4,w=5,ci=2,co=6,k=3,s=1,p=1");
  row(kind, "fused", "conv3d:n=1,d=3,h=5,w=8,ci=4,co=4,k=3,s=2,p=1,bias=1,relu=1");
  row(kind, "as in a log",
      R"([["TENSOR",[1,4,4,6,2],"float32"],["TENSOR",[2,3,3,2,4],"float32"],1,[0,1,1],1,"float32"])");
  row(kind, "odd", "conv3d:n=2,d=3,h=4,w=7,ci=3,co=10,k=2,s=1,p=0");
  kind = "conv3d_ncdhw.x86";
  row(kind, "NCDHW",
      R"([["TENSOR",[1,4,3,5,6],"float32"],["TENSOR",[6,4,3,3,3],"float32"],)"
      R"([1,1,1],[1,1,1,1,1,1],[1,1,1],"float32"])");
  row(kind, "dilated, tails",
      R"([["TENSOR",[2,2,3,5,9],"float32"],["TENSOR",[4,2,1,3,3],"float32"],)"
      R"([1,2,1],[0,1,1],[1,1,2],"float32"])");
  row(kind, "odd",
      R"([["TENSOR",[1,3,5,3,7],"float32"],["TENSOR",[10,3,2,2,2],"float32"],)"
      R"([1,1,1],[0,0,0,0,0,0],[1,1,1],"float32"])");
  row(kind, "fused", kTemplateConv3d);
}

} // namespace nestwright::test
