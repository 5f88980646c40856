#include "core/feature/statement_features.h"

#include <fmt/format.h>

namespace nestwright {

namespace {

struct Entry {
  const char* name;
  const char* meaning;
};

constexpr Entry kOperations[] = {
    {"mad", "fused multiply-adds (not told apart: always 0)"},
    {"addsub", "additions and subtractions"},
    {"mul", "multiplications"},
    {"divmod", "divisions and remainders"},
    {"cmp", "comparisons, minima and maxima"},
    {"mathfunc", "mathematical functions and guarded choices"},
    {"otherfunc", "other calls"},
};

constexpr Entry kPositions[] = {
    {"kPosNone", "there is none"},
    {"kPosInnerSpatial", "at an inner spatial loop (not told apart)"},
    {"kPosMiddleSpatial", "at a middle spatial loop (not told apart)"},
    {"kPosOuterSpatial", "at an outer spatial loop (not told apart)"},
    {"kPosInnerReduce", "at an inner reduction loop (not told apart)"},
    {"kPosMiddleReduce", "at a middle reduction loop (not told apart)"},
    {"kPosOuterReduce", "at an outer reduction loop (not told apart)"},
    {"kPosMixed", "there is one, anywhere"},
};

constexpr Entry kGpu[] = {
    {"is_gpu", "runs on a GPU"},
    {"blockIdx_x_len", "extent of the loop bound to blockIdx.x, 1 without one"},
    {"blockIdx_y_len", "extent of the loop bound to blockIdx.y, 1 without one"},
    {"blockIdx_z_len", "extent of the loop bound to blockIdx.z, 1 without one"},
    {"threadIdx_x_len", "extent of the loop bound to threadIdx.x, 1 without one"},
    {"threadIdx_y_len", "extent of the loop bound to threadIdx.y, 1 without one"},
    {"threadIdx_z_len", "extent of the loop bound to threadIdx.z, 1 without one"},
    {"vthread_len", "product of the extents of virtual threads"},
};

constexpr Entry kBuffer[] = {
    {"acc_type.kRead", "is read only"},
    {"acc_type.kWrite", "is written only"},
    {"acc_type.kReadWrite", "is updated in place"},
    {"bytes", "bytes accessed by all iterations"},
    {"unique_bytes", "bytes of the box that all accesses lie in"},
    {"lines", "cache lines accessed by all iterations"},
    {"unique_lines", "cache lines of that box"},
    {"reuse_type.kLoopMultipleRead", "is used again by a loop that does not move the access"},
    {"reuse_type.kSerialMultipleReadWrite", "is used again by another access in a loop"},
    {"reuse_type.kNoReuse", "is not used again"},
    {"reuse_dis_iter", "iterations until it is used again"},
    {"reuse_dis_bytes", "bytes touched until it is used again"},
    {"reuse_ct", "how often it is used again"},
    {"bytes_d_reuse_ct", "bytes per reuse (twice the bytes without reuse)"},
    {"unique_bytes_d_reuse_ct", "unique_bytes per reuse (twice without)"},
    {"lines_d_reuse_ct", "lines per reuse (twice without)"},
    {"unique_lines_d_reuse_ct", "unique_lines per reuse (twice without)"},
    {"stride", "elements between iterations of the innermost loop, 0 when it does not move"},
};

constexpr Entry kOuter[] = {
    {"alloc_size", "bytes allocated for the written buffer"},
    {"alloc_prod", "elements allocated, by all allocations together"},
    {"alloc_outer_prod", "iterations of the loops outside of the allocation"},
    {"alloc_inner_prod", "iterations of the loops inside of the allocation"},
    {"outer_prod", "iterations of all loops around the statement"},
    {"num_loops", "loops around the statement"},
    {"auto_unroll_max_step", "the unroll pragma in force"},
};

using Texts = std::array<std::string, kFeatureCount>;
struct Tables {
  Texts names, meanings;
};

/// Appends names and meanings from the left to the right.
class TableWriter {
 public:
  explicit TableWriter(Tables& tables) : tables_(tables) {}

  void add(std::string name, std::string meaning) {
    tables_.names[count_] = std::move(name);
    tables_.meanings[count_++] = std::move(meaning);
  }

  template <std::size_t N>
  void addAll(const Entry (&entries)[N], const std::string& namePrefix = {},
              const std::string& meaningPrefix = {}) {
    for (const Entry& entry : entries)
      add(namePrefix + entry.name, meaningPrefix + entry.meaning);
  }

  void addAnnotation(const std::string& name, const std::string& adjective) {
    add(name + "_num", fmt::format("{} loops around the statement", adjective));
    add(name + "_prod", fmt::format("product of the extents of the {} loops", adjective));
    add(name + "_len", fmt::format("extent of the innermost {} loop", adjective));
    addAll(kPositions, name + "_type.", adjective + " loop: ");
  }

 private:
  Tables& tables_;
  std::size_t count_ = 0;
};

Tables makeTables() {
  Tables tables;
  TableWriter writer(tables);
  writer.addAll(kOperations, "float_", "floating-point ");
  writer.addAll(kOperations, "int_", "integer ");
  writer.add("bool_op", "logical operations");
  writer.add("select_op", "selections");
  writer.addAnnotation("vec", "vectorised");
  writer.addAnnotation("unroll", "unrolled");
  writer.addAnnotation("parallel", "parallel");
  writer.addAll(kGpu);
  for (std::size_t b = 0; b < kFeatureBuffers; ++b)
    writer.addAll(kBuffer, fmt::format("B{}.", b), fmt::format("buffer {}: ", b));
  for (int sample = 0; sample < 10; ++sample)
    writer.add(fmt::format("arith_intensity_curve_{}", sample),
               fmt::format("floating-point operations per byte after {}% of the operations",
                           (sample + 1) * 10));
  writer.addAll(kOuter);
  return tables;
}

const Tables& tables() {
  static const Tables made = makeTables();
  return made;
}

} // namespace

const std::array<std::string, kFeatureCount>& featureNames() {
  return tables().names;
}

const std::array<std::string, kFeatureCount>& featureMeanings() {
  return tables().meanings;
}

} // namespace nestwright
