"""The C side of the package.

Beside the sources of Carom (a checkout) they are compiled here, with CMake, and linked statically, so that
the package stands alone; CAROM_BUILD names a folder where that was done already. Anywhere else the installed
library is used (pkg-config carom-io)."""

import os
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
TOP = HERE.parent
CHECKOUT = (TOP / "CMakeLists.txt").is_file() and (TOP / "src" / "law").is_dir()


class BuildPy(build_py):
    """The package takes the bundled scenes and the browser page along."""

    def run(self):
        super().run()
        if not CHECKOUT:
            return  # they are in carom/bundled
        target = Path(self.build_lib) / "carom" / "bundled"
        target.mkdir(parents=True, exist_ok=True)
        for scene in (TOP / "scenes").glob("*.yaml"):
            shutil.copy(scene, target / scene.name)
        shutil.copy(TOP / "viewer" / "dist" / "index.html", target / "page.html")


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
                         "libsuitesparse-dev libsundials-dev pkg-config") from None
    return str(folder)


if CHECKOUT:
    os.environ["CAROM_LIBRARY"] = compile_library()
setup(cmdclass={"build_py": BuildPy}, cffi_modules=["bridge/build.py:ffi"])
