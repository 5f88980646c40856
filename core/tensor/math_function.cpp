#include "core/tensor/math_function.h"

namespace nestwright {

const char* mathFunction(Intrinsic intrinsic) {
  switch (intrinsic) {
  case Intrinsic::Abs:
    return "fabs";
  case Intrinsic::Round:
    return "rint"; // halves to even
  case Intrinsic::Rsqrt:
  case Intrinsic::Sigmoid:
    return nullptr;
  case Intrinsic::Exp:
  case Intrinsic::Log:
  case Intrinsic::Sqrt:
  case Intrinsic::Tanh:
  case Intrinsic::Erf:
  case Intrinsic::Pow:
  case Intrinsic::Floor:
  case Intrinsic::Ceil:
  case Intrinsic::Sin:
  case Intrinsic::Cos:
  case Intrinsic::Fmod:
    return name(intrinsic);
  }
  return nullptr;
}

} // namespace nestwright
