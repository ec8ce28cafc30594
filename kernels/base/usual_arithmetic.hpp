#pragma once

#include <cfenv>

namespace bombard {

/// While one lives, this thread computes as a program does at its start: it rounds to nearest,
/// keeps subnormal numbers, and no exception of arithmetic ends it. The rule's digits need that.
/// The destructor gives back what the caller had set: another rounding (fesetround), subnormal
/// numbers taken as zeros (what is linked by -ffast-math), traps, and the flags.
class UsualArithmetic {
 public:
  UsualArithmetic() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~UsualArithmetic() { std::fesetenv(&callers_); }
  UsualArithmetic(const UsualArithmetic&) = delete;
  UsualArithmetic& operator=(const UsualArithmetic&) = delete;

 private:
  std::fenv_t callers_;
};

}  // namespace bombard
