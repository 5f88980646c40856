#include "plugins/xgboost/booster.h"

#include "core/support/error.h"
#include "plugins/xgboost/sound_trees.h"

#include <xgboost/c_api.h>
#include <xgboost/version_config.h>

namespace nestwright::xgboost {
namespace {

/// The first line of XGBoost's reason; the others are its stack.
std::string reason() {
  const std::string text = XGBGetLastError();
  return text.substr(0, text.find('\n'));
}

void check(int code, const char* what) {
  if (code != 0) throw SystemError(fmt::format("XGBoost could not {}: {}", what, reason()));
}

std::shared_ptr<void> newBooster() {
  BoosterHandle handle = nullptr;
  check(XGBoosterCreate(nullptr, 0, &handle), "make a model");
  return {handle, XGBoosterFree};
}

/// The array interface of rows that lie in memory.
std::string arrayInterface(std::span<const float> values, std::size_t columns) {
  return fmt::format(R"({{"data":[{},true],"shape":[{},{}],"typestr":"<f4","version":3}})",
                     reinterpret_cast<std::uintptr_t>(values.data()), values.size() / columns,
                     columns);
}

/// XGBoost overwrites its result with the next one: copied at once.
std::vector<float> copied(const bst_ulong* shape, bst_ulong dimensions, const float* result) {
  std::size_t count = 1;
  for (bst_ulong i = 0; i < dimensions; ++i)
    count *= shape[i];
  return {result, result + count};
}

} // namespace

const std::string& libraryVersion() {
  static const std::string version = [] {
    int major = 0, minor = 0, patch = 0;
    XGBoostVersion(&major, &minor, &patch);
    return fmt::format("{}.{}.{}", major, minor, patch);
  }();
  return version;
}

void requireLibraryVersion() {
  int major = 0, minor = 0;
  XGBoostVersion(&major, &minor, nullptr);
  // Of one major version, later ones have all that earlier ones had.
  if (major == XGBOOST_VER_MAJOR && minor >= XGBOOST_VER_MINOR) return;
  throw SystemError(
      fmt::format("it was built for XGBoost {}.{}, and the library that was loaded is "
                  "XGBoost {}; install Debian's libxgboost0, or build it again",
                  XGBOOST_VER_MAJOR, XGBOOST_VER_MINOR, libraryVersion()));
}

Matrix::Matrix(std::span<const float> values, std::size_t columns, int threads)
    : rows_(values.size() / columns) {
  DMatrixHandle handle = nullptr;
  const std::string array = arrayInterface(values, columns);
  const std::string config = fmt::format(R"({{"missing":NaN,"nthread":{}}})", threads);
  check(XGDMatrixCreateFromDense(array.c_str(), config.c_str(), &handle), "take the features");
  handle_ = {handle, XGDMatrixFree};
}

Booster::Booster(const TreeParameters& parameters, std::size_t columns) : handle_(newBooster()) {
  configure(parameters);
  check(XGBoosterSetParam(handle_.get(), "num_feature", fmt::format("{}", columns).c_str()),
        "take the number of features");
}

Booster::Booster(const TreeParameters& parameters, std::string_view ubj, std::size_t columns,
                 std::string_view writer)
    : handle_(newBooster()) {
  const auto refuse = [&](std::string_view why) {
    throw InputError(fmt::format("XGBoost {} cannot read the model, which XGBoost {} wrote: {}",
                                 libraryVersion(), writer, why));
  };
  try {
    requireSoundTrees(ubj, columns);
  } catch (const InputError& e) {
    refuse(e.what());
  }
  if (XGBoosterLoadModelFromBuffer(handle_.get(), ubj.data(), ubj.size()) != 0) refuse(reason());
  configure(parameters);
}

void Booster::configure(const TreeParameters& parameters) {
  const auto set = [this](const char* name, const auto& value) {
    check(XGBoosterSetParam(handle_.get(), name, fmt::format("{}", value).c_str()),
          "take a parameter");
  };
  set("verbosity", 0);
  set("disable_default_eval_metric", 1);
  set("tree_method", "hist");
  // The library's own 0.5 would count once for each of a program's rows: its number of statements
  // would be a prediction.
  set("base_score", 0);
  set("nthread", parameters.threads);
  set("seed", parameters.seed);
  set("max_depth", parameters.maxDepth);
  set("max_bin", parameters.maxBins);
  set("gamma", parameters.gamma);
  set("min_child_weight", parameters.minChildWeight);
  set("eta", parameters.eta);
  set("lambda", parameters.lambda);
  set("colsample_bynode", parameters.columnShare);
  // Without a limit XGBoost grows trees leaf by leaf only, which then gives the same trees.
  if (parameters.maxDepth == 0) set("grow_policy", "lossguide");
}

std::vector<float> Booster::predictMatrix(const Matrix& matrix, int type, bool training) const {
  const std::string config = fmt::format(
      R"({{"type":{},"training":{},"iteration_begin":0,"iteration_end":0,"strict_shape":false}})",
      type, training);
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* result = nullptr;
  check(XGBoosterPredictFromDMatrix(handle_.get(), matrix.handle(), config.c_str(), &shape,
                                    &dimensions, &result),
        "predict");
  return copied(shape, dimensions, result);
}

std::vector<float> Booster::trainingScores(const Matrix& matrix) const {
  return predictMatrix(matrix, 1, true);
}

std::vector<float> Booster::contributions(const Matrix& matrix) const {
  return predictMatrix(matrix, 2, false);
}

std::vector<double> Booster::totalGain(std::size_t columns) const {
  bst_ulong features = 0, dimensions = 0;
  const char** names = nullptr;
  const bst_ulong* shape = nullptr;
  const float* scores = nullptr;
  check(XGBoosterFeatureScore(handle_.get(), R"({"importance_type":"total_gain"})", &features,
                              &names, &dimensions, &shape, &scores),
        "say what its features gain");
  std::vector<double> gains(columns, 0);
  // Only features that split somewhere are listed, as "f" and their column.
  for (bst_ulong i = 0; i < features; ++i) {
    const std::size_t column = std::stoul(names[i] + 1);
    if (column < columns) gains[column] = static_cast<double>(scores[i]);
  }
  return gains;
}

void Booster::boost(const Matrix& matrix, std::vector<float>& gradients,
                    std::vector<float>& hessians) {
  check(XGBoosterBoostOneIter(handle_.get(), matrix.handle(), gradients.data(), hessians.data(),
                              gradients.size()),
        "add a tree");
}

void Booster::useThreads(int threads) {
  check(XGBoosterSetParam(handle_.get(), "nthread", fmt::format("{}", threads).c_str()),
        "take a number of threads");
}

std::vector<float> Booster::predict(std::span<const float> values, std::size_t columns) const {
  return predict(values, columns, 0, 0); // all of them
}

std::vector<float> Booster::predict(std::span<const float> values, std::size_t columns, int begin,
                                    int end) const {
  if (values.empty()) return {};
  const std::string array = arrayInterface(values, columns);
  const std::string config =
      fmt::format(R"({{"type":1,"training":false,"iteration_begin":{},"iteration_end":{},)"
                  R"("strict_shape":false,"missing":NaN,"cache_id":0}})",
                  begin, end);
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* result = nullptr;
  check(XGBoosterPredictFromDense(handle_.get(), array.c_str(), config.c_str(), nullptr, &shape,
                                  &dimensions, &result),
        "predict");
  return copied(shape, dimensions, result);
}

std::string Booster::ubj() const {
  bst_ulong length = 0;
  const char* bytes = nullptr;
  check(XGBoosterSaveModelToBuffer(handle_.get(), R"({"format":"ubj"})", &length, &bytes),
        "save the model");
  return {bytes, length};
}

int Booster::trees() const {
  int rounds = 0;
  check(XGBoosterBoostedRounds(handle_.get(), &rounds), "count its trees");
  return rounds;
}

} // namespace nestwright::xgboost
