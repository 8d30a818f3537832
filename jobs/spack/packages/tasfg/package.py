import os

from spack.package import *


class Tasfg(CMakePackage):
    """Pure exploration with feedback graphs: characteristic times with certificates, simulation, and parameter sweeps over
    many cores and nodes."""

    # The checkout that holds this file; its branch main is what is built.
    git = "file://" + os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("MIT")

    version("main", branch="main")

    variant("native", default=False, description="Tune for this machine's CPU; results stay the same bits")
    variant("analysis", default=False, description="Python packages that read result files and draw figures")
    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("git", type="build")
    depends_on("mpi")
    depends_on("boost@1.74:+mpi+serialization")
    depends_on("eigen@3.4:")
    depends_on("hdf5@1.10:+hl")
    depends_on("fmt@9:")
    depends_on("cli11@2.1:")
    depends_on("tomlplusplus@3.3:")
    depends_on("random123@1.14:")
    depends_on("nlohmann-json@3.11:")
    depends_on("googletest", type="build", when="+tests")
    with when("+analysis"):
        depends_on("python@3.11:", type="run")
        depends_on("py-numpy", type="run")
        depends_on("py-pandas", type="run")
        depends_on("py-h5py", type="run")
        depends_on("py-xarray", type="run")
        depends_on("py-h5netcdf", type="run")
        depends_on("py-matplotlib", type="run")
        depends_on("py-scipy", type="run")
        # For `pip install --no-build-isolation .` in the checkout, which compiles the Python package.
        depends_on("py-pip", type="run")
        depends_on("py-scikit-build-core", type="run")
        depends_on("py-nanobind", type="run")

    # C++20 with std::bit_cast and defaulted comparisons.
    conflicts("%gcc@:10")
    conflicts("%clang@:13")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("TASFG_NATIVE", "native"),
            self.define_from_variant("TASFG_BUILD_TESTS", "tests"),
            self.define("TASFG_BUILD_BENCHMARKS", False),
            self.define("TASFG_RANDOM123_INCLUDE", self.spec["random123"].prefix.include),
        ]
