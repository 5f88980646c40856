#pragma once
/// \file XGBoost's C API as owned handles whose failures are exceptions.

#include "plugins/xgboost/tree_parameters.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestwright::xgboost {

/// "1.7.4": of the library that was loaded.
const std::string& libraryVersion();
/// Throws SystemError when the loaded library is not of the version line that the plugin was
/// compiled for, or older than that (C42).
void requireLibraryVersion();

/// Rows of features as XGBoost holds them; the values are copied.
class Matrix {
 public:
  Matrix(std::span<const float> values, std::size_t columns, int threads);
  void* handle() const { return handle_.get(); }
  std::size_t rows() const { return rows_; }

 private:
  std::shared_ptr<void> handle_;
  std::size_t rows_ = 0;
};

/// A forest of trees that grows by given gradients.
class Booster {
 public:
  Booster(const TreeParameters& parameters, std::size_t columns);
  /// From saved bytes of trees over `columns` features; throws InputError with the reason and the
  /// version of XGBoost that wrote them.
  Booster(const TreeParameters& parameters, std::string_view ubj, std::size_t columns,
          std::string_view writer);

  /// The rows' scores, kept up to date by XGBoost from one tree to the next for the same matrix.
  std::vector<float> trainingScores(const Matrix& matrix) const;
  /// Adds one tree.
  void boost(const Matrix& matrix, std::vector<float>& gradients, std::vector<float>& hessians);
  /// From now on; what comes out does not depend on them.
  void useThreads(int threads);
  /// The rows' scores, without a copy of the values.
  std::vector<float> predict(std::span<const float> values, std::size_t columns) const;
  /// The same from the trees [begin, end) alone.
  std::vector<float> predict(std::span<const float> values, std::size_t columns, int begin,
                             int end) const;
  /// Rows x (columns + 1): exact SHAP values, the bias last.
  std::vector<float> contributions(const Matrix& matrix) const;
  /// Of each column, the sum of what its splits gained in training.
  std::vector<double> totalGain(std::size_t columns) const;
  std::string ubj() const;
  int trees() const;

 private:
  void configure(const TreeParameters& parameters);
  std::vector<float> predictMatrix(const Matrix& matrix, int type, bool training) const;
  std::shared_ptr<void> handle_;
};

} // namespace nestwright::xgboost
