#include "kernels/convolution/cuda/apply.cuh"
#include "kernels/convolution/cuda/apply_other_storms.cuh"

namespace bombard::cuda {

namespace {

template <class Kernel, class Ends>
void launch_apply(const TileStorm& storm, const Kernel& kernel, const Ends& ends) {
  launch_beside("apply", storm.shape, kernel, storm.terms, storm.near, storm.energies,
                storm.uncertainties, storm.states, storm.uncertainty_states, storm.cells, ends);
}

template <class Ends>
void launch_exponentials(const TileStorm& storm, const Ends& ends) {
  launch_apply(storm,
               storm.tracked ? apply_exponentials_kernel<true, Ends>
                             : apply_exponentials_kernel<false, Ends>,
               ends);
}

}  // namespace

void allow_storms_with_ends() {
  allow_shared_memory(apply_with_ends_kernel<false>);
  allow_shared_memory(apply_with_ends_kernel<true>);
}

void allow_storms_by_exponentials() {
  allow_shared_memory(apply_exponentials_kernel<false, NoEnds>);
  allow_shared_memory(apply_exponentials_kernel<true, NoEnds>);
  allow_shared_memory(apply_exponentials_kernel<false, EndLists>);
  allow_shared_memory(apply_exponentials_kernel<true, EndLists>);
}

void apply_with_ends(const TileStorm& storm, const EndLists& ends) {
  launch_apply(storm, storm.tracked ? apply_with_ends_kernel<true> : apply_with_ends_kernel<false>,
               ends);
}

void apply_by_exponentials(const TileStorm& storm) {
  launch_exponentials(storm, NoEnds{});
}

void apply_by_exponentials(const TileStorm& storm, const EndLists& ends) {
  launch_exponentials(storm, ends);
}

}  // namespace bombard::cuda
