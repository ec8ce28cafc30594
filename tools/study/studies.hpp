#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/study/table.hpp"

namespace bombard::tools {

/// What a study is to compare.
struct StudyRequest {
  std::vector<std::int64_t> sizes;  ///< none: the study's own
  bool cpu = true;
  bool gpu = false;
  bool once = false;  ///< launch everything once, for a profiler: no times
};

/// A study's findings. Every result that was timed was checked as well.
struct StudyFindings {
  Table table;
  std::vector<std::string> notes;  ///< limits measured in the same run, for people
  bool valid = true;               ///< whether all checks passed
};

/// Sums by every scheme, block size and size, and element-wise minima of 3x3 matrices; the one
/// study that knows `once`.
StudyFindings study_reduction(const StudyRequest& request);
/// Products of square matrices of float.
StudyFindings study_product(const StudyRequest& request);
/// Scalar products of the rows of two square matrices of float.
StudyFindings study_dot(const StudyRequest& request);
/// Sweeps of Jacobi's iteration over dense systems of float.
StudyFindings study_jacobi(const StudyRequest& request);
/// Sorting integers.
StudyFindings study_sort(const StudyRequest& request);

}  // namespace bombard::tools
