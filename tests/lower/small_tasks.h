#pragma once
/// \file Small workloads that random programs are made of.

#include "core/network/graph/workloads.h"
#include "core/schedule/state.h"
#include "core/tensor/text.h"

#include <QTest>

namespace nestwright {

inline std::string stepsText(const State& state) {
  std::string text;
  for (const Step& step : state.steps())
    text += inWords(step) + "\n";
  return text;
}

inline ComputeDag smallTask(const std::string& text) {
  return isTaskSpec(text) ? parseTaskSpec(text).dag : parseDag(text);
}

/// Rows of one column `text`: a task specification, or a DAG.
inline void addSmallTasks() {
  auto spec = [](const char* text) { QTest::newRow(text) << QString(text); };
  spec("matmul:m=12,n=32,k=10");
  spec("matmul:m=7,n=19,k=5,bias=1,relu=1");
  spec("matmul:m=33,n=48,k=17,relu=1");
  spec("batch_matmul:b=3,m=5,n=18,k=9");
  spec("conv1d:n=1,l=11,ci=4,co=20,k=3,s=2,p=1");
  spec("conv2d:n=1,h=9,w=7,ci=3,co=18,k=3,s=2,p=1,bias=1,relu=1");
  spec("conv2d:n=1,h=6,w=6,ci=5,co=32,k=1,s=1,p=0,relu=1");
  spec("conv2d:n=1,h=1,w=1,ci=8,co=32,k=3,s=1,p=1"); // taps that lie wholly in the padding
  spec("conv3d:n=1,d=4,h=4,w=5,ci=2,co=6,k=3,s=1,p=1");
  spec("depthwise_conv2d:n=1,h=8,w=7,c=20,k=3,s=1,p=1");
  spec("grouped_conv2d:n=1,h=6,w=6,ci=8,co=16,k=3,s=1,p=1,g=4");
  spec("dilated_conv2d:n=1,h=9,w=9,ci=3,co=8,k=3,s=1,p=2");
  spec("transposed_conv2d:n=1,h=4,w=4,ci=5,co=6,k=4,s=2,p=1");
  spec("matmul:m=7,n=19,k=6,bias=1,relu=1,bf16=1");
  spec("conv2d:n=1,h=5,w=7,ci=3,co=18,k=3,s=2,p=1,bias=1,fp16=1");
  spec("softmax:m=6,n=37");
  spec("norm:m=5,n=70");
  auto dag = [](const char* name, const char* text) { QTest::newRow(name) << QString(text); };
  dag("transposed weight", "A = PLACEHOLDER [9, 40]\n"
                           "B = PLACEHOLDER [13, 40]\n"
                           "C(i, j) += (A[i, k]*B[j, k])\n"
                           "D(i, j) = max(C[i, j], 0f)\n");
  // Weights that may be packed, and reads of them that make it hard or impossible.
  const auto weight = [&](const char* name, const char* read) {
    QTest::newRow(name) << QString("A = PLACEHOLDER [9, 24]\n"
                                   "B = PLACEHOLDER [50, 48]\n"
                                   "C(i=9, j=23) {k=24} += (A[i, k]*B[%1]) "
                                   "@layout_free_placeholders(B)\n"
                                   "D(i, j) = max(C[i, j], 0f)\n")
                               .arg(read);
  };
  weight("constant weight, transposed", "j, k");
  weight("constant weight, a part", "(k + 3), (j + 16)");
  weight("constant weight, backwards", "(49 - j), (23 - k)");
  weight("constant weight, strided", "(k*2), (j*2)");
  weight("constant weight, one index", "((j*2) + 1), 7");
  weight("constant weight, diagonal", "(j + k), k");
  weight("constant weight, quotients", "floordiv(j, 2), ((floormod(j, 2)*24) + k)");
  dag("two consumers", "A = PLACEHOLDER [10, 12]\n"
                       "B(i, j) = exp(A[i, j])\n"
                       "C(i) += B[i, k]\n"
                       "D(i, j) = (B[i, j]/C[i])\n"
                       "E(i, j) = (B[i, j] + D[i, j])\n");
  dag("max pool", "A = PLACEHOLDER [1, 8, 8, 24]\n"
                  "P(n, h=4, w=4, c) {rh=2, rw=2} max= A[n, ((h*2) + rh), ((w*2) + rw), c]\n");
  dag("padded rows", "A = PLACEHOLDER [3, 7, 11]\n"
                     "W = PLACEHOLDER [3, 3]\n"
                     "P(c, h=9, w=13) = if_then_else((h >= 1) && (h < 8) && (w >= 1) && "
                     "(w < 12), A[c, (h - 1), (w - 1)], 0f)\n"
                     "D(c, h=4, w=6) {r=3, s=3} += (P[c, ((h*2) + r), ((w*2) + s)]*W[r, s])\n");
  dag("pooled pixels", "A = PLACEHOLDER [2, 3, 256]\n"
                       "P(c=256) {r=2, s=3} += A[r, s, c]\n"
                       "M(c=256) {s=3} max= (A[1, s, c]*P[c])\n"
                       "D(c=256) = ((P[c]/6f) + M[c])\n");
  dag("stencil chain", "A = PLACEHOLDER [20]\n"
                       "B(i=18) = ((A[i] + A[(i + 1)]) + A[(i + 2)])\n"
                       "C(i=16) = ((B[i] + B[(i + 1)]) + B[(i + 2)])\n"
                       "D(i=14) = ((C[i]*C[(i + 1)]) - C[(i + 2)])\n");
  dag("triangle", "A = PLACEHOLDER [9, 20]\n"
                  "B(i, j) = if_then_else((i >= j), A[i, j], 0f)\n"
                  "C(i, j) = select((j > 3), (B[i, j]*2f), B[i, j])\n"
                  "D(i) += C[i, k]\n");
  // Both sides of a select are evaluated, also where the clamp is not needed.
  dag("clamped under a select", "A = PLACEHOLDER [9]\n"
                                "B(i=40) = select((i < 9), A[min(i, 8)], 0f)\n"
                                "C() += B[k]\n");
  dag("gather", "A = PLACEHOLDER [7, 24]\n"
                "B(i=14, j=24) = A[floormod((i*3), 7), (23 - j)]\n"
                "C(i) min= B[i, k]\n"
                "D(i=7) = (C[(i*2)] + C[((i*2) + 1)])\n");
  dag("halves", "A = PLACEHOLDER [6, 17] bfloat16\n"
                "B = PLACEHOLDER [17, 18] float16\n"
                "C(i, j) max= (A[i, k]*bfloat16(B[k, j]))\n"
                "D(i, j) = (max(C[i, j], bfloat16(0.3)) + bfloat16(0.7))\n");
  dag("integers", "A = PLACEHOLDER [6, 17] int32\n"
                  "B = PLACEHOLDER [17, 18] int32\n"
                  "C(i, j) += (A[i, k]*B[k, j])\n"
                  "D(i, j) = max(C[i, j], 3)\n");
  dag("scalars", "A = PLACEHOLDER [40]\n"
                 "S() += A[k]\n"
                 "T() = (S[]*S[])\n"
                 "B(i=21) = (A[i]*T[])\n");
  dag("looked up", "I = PLACEHOLDER [19] int64\n"
                   "T = PLACEHOLDER [4, 20]\n"
                   "W = CONSTANT [4] {1, 0.5, -0.25, 3}\n"
                   "B(i, j) = (T[floormod(I[i], 4), j]*W[floormod(I[i], 4)])\n"
                   "C(j) += B[k, j]\n");
  dag("guarded update", "A = PLACEHOLDER [11]\n"
                        "C(i=11) {k=11} += if_then_else(((i + k) < 11), A[(i + k)], 0f)\n");
  // Padding inside of the reduction: terms that change nothing, and such that do.
  dag("border of a product", "X = PLACEHOLDER [7, 6, 3]\n"
                             "K = PLACEHOLDER [3, 3, 3, 18]\n"
                             "Y(y=7, x=6, f) {r=3, s=3, c=3} += (if_then_else(((y + r) >= 1) && "
                             "((y + r) < 8) && ((x + s) >= 1) && ((x + s) < 7), "
                             "X[((y + r) - 1), ((x + s) - 1), c], 0f)*K[r, s, c, f]) "
                             "@layout_free_placeholders(K)\n"
                             "Z(y, x, f) = max(Y[y, x, f], 0f)\n");
  dag("border of a strided product",
      "X = PLACEHOLDER [9, 11, 2]\n"
      "K = PLACEHOLDER [4, 3, 2, 10]\n"
      "Y(y=4, x=6, f) {r=4, s=3, c=2} += (if_then_else((((y*2) + (r*2)) >= 3) && (((y*2) + (r*2)) "
      "< 12) && (((x*2) + s) >= 2) && (((x*2) + s) < 13), X[(((y*2) + (r*2)) - 3), "
      "(((x*2) + s) - 2), c], 0f)*K[r, s, c, f])\n");
  dag("border of a maximum", "X = PLACEHOLDER [6, 8, 20]\n"
                             "Y(y=6, x=4, c=20) {r=3, s=3} max= if_then_else(((y + r) >= 1) && "
                             "((y + r) < 7) && (((x*2) + s) >= 1) && (((x*2) + s) < 9), "
                             "X[((y + r) - 1), (((x*2) + s) - 1), c], -inff)\n");
  dag("border that counts", "X = PLACEHOLDER [8, 20]\n"
                            "Y(x=8, c=20) {s=5} max= if_then_else(((x + s) >= 2) && ((x + s) < "
                            "10), X[((x + s) - 2), c], 0f)\n"
                            "Z(x=8, c=20) {s=3} += if_then_else(((x + s) >= 1) && ((x + s) < 9), "
                            "Y[((x + s) - 1), c], 0.5f)\n");
  dag("border along the vectors", "X = PLACEHOLDER [3, 9, 19]\n"
                                  "K = PLACEHOLDER [4, 3, 3, 3]\n"
                                  "Y(f=4, y=9, x=19) {c=3, r=3, s=3} += (select(((y + r) >= 1) && "
                                  "((y + r) < 10) && ((x + s) >= 1) && ((x + s) < 20), "
                                  "X[c, min(max(((y + r) - 1), 0), 8), min(max(((x + s) - 1), 0), "
                                  "18)], 0f)*K[f, c, r, s])\n");
  dag("shared by two outputs", "A = PLACEHOLDER [6, 14]\n"
                               "B(i, j) = tanh(A[i, j])\n"
                               "C(i, j) = (B[i, j]*2f)\n"
                               "D(i) max= B[i, k]\n");
}

/// Products that some processors have an instruction for, with remainders and without.
inline void addDotTasks() {
  for (const char* const text :
       {"matmul:m=7,n=37,k=12,bias=1,relu=1,bf16=1", "matmul:m=7,n=37,k=12,bias=1,relu=1,int8=1",
        "matmul:m=18,n=16,k=8,const_b=0,int8=1", "batch_matmul:b=2,m=17,n=20,k=8,nt=1,int8=1",
        "batch_matmul:b=2,m=17,n=20,k=8,bf16=1", "conv2d:n=1,h=7,w=8,ci=4,co=18,k=3,s=1,p=1,bf16=1",
        "conv2d:n=1,h=7,w=8,ci=4,co=18,k=3,s=2,p=1,bias=1,relu=1,int8=1"})
    QTest::newRow(text) << QString(text);
}

} // namespace nestwright
