# Spack's recipe: tools/release fills in the version and the checksum. Put it into the folder packages/bombard of a
# repository of recipes (`spack repo create`), then `spack install bombard +cuda cuda_arch=90`.
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Bombard(CMakePackage, CudaPackage):
    """Storms of high-energy particles on a layer of cells: the most damaged point after each storm, with the exact
    digits of the published sequential program (Energy Storms, EduHPC 2018), on processors and GPUs."""

    homepage = "https://example.org/bombard"
    url = "https://example.org/bombard/bombard-@VERSION@.tar.gz"

    license("MIT")

    version("@VERSION@", sha256="@SHA256@")

    variant("mpi", default=False, description="bombard-mpi: one run in several ranks of MPI")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("eigen@3.4", type="build")
    depends_on("nlohmann-json@3.9:", type="build")
    depends_on("fmt@9:10")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@13:", when="+cuda")
    depends_on("googletest", type="test")
    depends_on("benchmark", type="test")

    generator("ninja")
    requires("%gcc@12:", "%clang@14:", policy="one_of")

    def cmake_args(self):
        args = [
            self.define_from_variant("BOMBARD_CUDA", "cuda"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", self.spec.satisfies("~mpi")),
            self.define("BUILD_TESTING", self.run_tests),
        ]
        if self.spec.satisfies("+cuda") and "none" not in self.spec.variants["cuda_arch"].value:
            args.append(self.define("BOMBARD_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
