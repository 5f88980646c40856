#include "core/feature/statement_features.h"

#include <fmt/format.h>

namespace nestwright {

namespace {

constexpr const char* kOperations[] = {"mad", "addsub",   "mul",      "divmod",
                                       "cmp", "mathfunc", "otherfunc"};
constexpr const char* kPositions[] = {"kPosNone",         "kPosInnerSpatial", "kPosMiddleSpatial",
                                      "kPosOuterSpatial", "kPosInnerReduce",  "kPosMiddleReduce",
                                      "kPosOuterReduce",  "kPosMixed"};
constexpr const char* kGpuNames[] = {"is_gpu",          "blockIdx_x_len",  "blockIdx_y_len",
                                     "blockIdx_z_len",  "threadIdx_x_len", "threadIdx_y_len",
                                     "threadIdx_z_len", "vthread_len"};
constexpr const char* kBufferNames[] = {"acc_type.kRead",
                                        "acc_type.kWrite",
                                        "acc_type.kReadWrite",
                                        "bytes",
                                        "unique_bytes",
                                        "lines",
                                        "unique_lines",
                                        "reuse_type.kLoopMultipleRead",
                                        "reuse_type.kSerialMultipleReadWrite",
                                        "reuse_type.kNoReuse",
                                        "reuse_dis_iter",
                                        "reuse_dis_bytes",
                                        "reuse_ct",
                                        "bytes_d_reuse_ct",
                                        "unique_bytes_d_reuse_ct",
                                        "lines_d_reuse_ct",
                                        "unique_lines_d_reuse_ct",
                                        "stride"};
constexpr const char* kOuterNames[] = {"alloc_size",          "alloc_prod", "alloc_outer_prod",
                                       "alloc_inner_prod",    "outer_prod", "num_loops",
                                       "auto_unroll_max_step"};

std::array<std::string, kFeatureCount> makeNames() {
  std::array<std::string, kFeatureCount> names;
  std::size_t count = 0;
  const auto add = [&](std::string name) { names[count++] = std::move(name); };
  for (const char* type : {"float", "int"})
    for (const char* operation : kOperations)
      add(fmt::format("{}_{}", type, operation));
  add("bool_op");
  add("select_op");
  for (const char* annotation : {"vec", "unroll", "parallel"}) {
    for (const char* size : {"num", "prod", "len"})
      add(fmt::format("{}_{}", annotation, size));
    for (const char* position : kPositions)
      add(fmt::format("{}_type.{}", annotation, position));
  }
  for (const char* name : kGpuNames)
    add(name);
  for (std::size_t buffer = 0; buffer < kFeatureBuffers; ++buffer)
    for (const char* name : kBufferNames)
      add(fmt::format("B{}.{}", buffer, name));
  for (int sample = 0; sample < 10; ++sample)
    add(fmt::format("arith_intensity_curve_{}", sample));
  for (const char* name : kOuterNames)
    add(name);
  return names;
}

} // namespace

const std::array<std::string, kFeatureCount>& featureNames() {
  static const std::array<std::string, kFeatureCount> names = makeNames();
  return names;
}

} // namespace nestwright
