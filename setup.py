"""The Python package, for pip: its compiled part is built by the project's CMake.

Where build/ has the module, for the same Python, that one is taken; otherwise everything is built in build-python/, with
the options that the variable CMAKE_ARGS has for CMake.
"""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).resolve().parent
mine = root / "build-python"


def build_folder() -> Path:
    """Of a CMake build that is configured to have the module for this Python, and the program."""
    package = root / "build/python/bombard"
    if (package / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}").exists() and (package / "bin/bombard").exists():
        return root / "build"
    folder = mine / "cmake"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DBOMBARD_PYTHON=ON", "-DBUILD_TESTING=OFF"]
    options += [f"-DPython3_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
    subprocess.run(["cmake", "-G", "Ninja", "-S", root, "-B", folder, *options], check=True)
    return folder


class BuildByCMake(build_ext):
    def run(self) -> None:
        folder = build_folder()
        subprocess.run(["cmake", "--build", folder, "--target", "bombard_python", "bombard"], check=True)
        target = root / "python" if self.inplace else Path(self.build_lib)
        install = ["cmake", "--install", folder, "--component", "python", "--prefix", os.path.abspath(target)]
        subprocess.run(install, check=True)


mine.mkdir(exist_ok=True)
setup(
    version=re.search(r"project\(bombard VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1],
    ext_modules=[Extension("bombard._core", [])],
    cmdclass={"build_ext": BuildByCMake},
    options={"build": {"build_base": "build-python"}, "egg_info": {"egg_base": "build-python"}},
)
