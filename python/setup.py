"""The C side of the package.

Beside the sources of Carom they are compiled here, with CMake, and linked statically, so that the package stands
alone; CAROM_BUILD names a folder where that was done already. The sources are those of the checkout, or those that
a source distribution takes along (library/). Without them the installed library is used (pkg-config carom-io)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
TOP = next((place for place in (HERE.parent, HERE / "library")
            if (place / "CMakeLists.txt").is_file() and (place / "src" / "law").is_dir()), None)
LIBRARY = ["CMakeLists.txt", "LICENSE", "bench", "cli", "cmake", "include", "io", "pictures", "scenes", "src",
           "viewer/dist"]  # what CMake asks for


class BuildPy(build_py):
    """The package takes the bundled scenes and the browser page along."""

    def run(self):
        super().run()
        if TOP is None:
            return
        target = Path(self.build_lib) / "carom" / "bundled"
        target.mkdir(parents=True, exist_ok=True)
        for scene in (TOP / "scenes").glob("*.yaml"):
            shutil.copy(scene, target / scene.name)
        shutil.copy(TOP / "viewer" / "dist" / "index.html", target / "page.html")


class Sdist(sdist):
    """A source distribution holds the sources of the library too."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        base = Path(base_dir)
        skip = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(HERE / "bridge", base / "bridge", ignore=skip, dirs_exist_ok=True)
        for name in LIBRARY if TOP is not None else []:
            target = base / "library" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (TOP / name).is_dir():
                shutil.copytree(TOP / name, target, ignore=skip)
            else:
                shutil.copy(TOP / name, target)


def compile_library() -> str:
    """The folder with libcarom.a, libcarom-io.a and their pkg-config files."""
    if os.environ.get("CAROM_BUILD"):
        return os.environ["CAROM_BUILD"]
    folder = HERE / "build" / "library"
    common = ["cmake", "-S", str(TOP), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release",
              "-DCMAKE_C_FLAGS_RELEASE=-O3 -g", "-DBUILD_TESTING=OFF"]
    try:
        subprocess.run(common, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", str(folder), "--parallel", "--target", "carom_static",
                        "--target", "carom_io_static"], check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as failure:
        raise SystemExit(f"carom: the C library cannot be built ({failure}). It needs a C compiler, cmake and the "
                         "development packages libyaml-dev libhdf5-dev libopenblas-dev liblapacke-dev "
                         "libsuitesparse-dev pkg-config") from None
    return str(folder)


modules = {}
if {"sdist", "egg_info", "dist_info"}.isdisjoint(sys.argv):  # these compile nothing
    modules = {"cffi_modules": ["bridge/build.py:ffi"]}
    if TOP is not None:
        os.environ["CAROM_LIBRARY"] = compile_library()
        os.environ["CAROM_HEADERS"] = str(TOP / "include")
setup(cmdclass={"build_py": BuildPy, "sdist": Sdist}, **modules)
