#pragma once

#include <cfenv>

namespace bombard::tests {

/// While one lives, this thread rounds as `rounding` says, and takes subnormal numbers as zeros, as
/// it does in a program that was linked by -ffast-math.
class OtherArithmetic {
 public:
  explicit OtherArithmetic(int rounding) {
    std::fenv_t other;
    std::fegetenv(&other);
    set_flush_to_zero(other);
    std::fesetenv(&other);
    std::fesetround(rounding);
  }
  ~OtherArithmetic() { std::fesetenv(FE_DFL_ENV); }
  OtherArithmetic(const OtherArithmetic&) = delete;
  OtherArithmetic& operator=(const OtherArithmetic&) = delete;

 private:
  template <class Environment>
  static void set_flush_to_zero(Environment& it) {
    if constexpr (requires { it.__mxcsr; }) it.__mxcsr |= 0x8040;     // x86: results and operands
    if constexpr (requires { it.__fpcr; }) it.__fpcr |= 0x0100'0000;  // AArch64: both
  }
};

/// Whether this thread takes subnormal numbers as zeros.
inline bool flushes_to_zero() {
  volatile float small = 0x1p-126F;
  small = small / 2;
  return small == 0;
}

}  // namespace bombard::tests
