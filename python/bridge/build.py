"""The wrapper carom._carom: cffi in API mode over libcarom and libcarom-io."""

import os
import shlex
import subprocess
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent


def pkg_config(*arguments: str) -> list[str]:
    words = subprocess.run(["pkg-config", *arguments], check=True, capture_output=True, text=True).stdout
    return shlex.split(words)


def flags() -> dict:
    """How to compile and link: with the static libraries of a folder, else with what is installed."""
    library = os.environ.get("CAROM_LIBRARY")
    if not library:
        return {"extra_compile_args": pkg_config("--cflags", "carom-io"),
                "extra_link_args": pkg_config("--libs", "carom-io")}
    path = os.environ.get("PKG_CONFIG_PATH", "")
    os.environ["PKG_CONFIG_PATH"] = f"{library}:{path}"
    words = pkg_config("--libs", "--static", "carom-io")
    words = [word for word in words if word not in ("-lcarom", "-lcarom-io")]
    archives = [os.path.join(library, name) for name in ("libcarom-io.a", "libcarom.a")]
    return {"include_dirs": [os.environ["CAROM_HEADERS"]],
            "extra_link_args": [*archives, *words],
            "depends": archives}


ffi = cffi.FFI()
ffi.cdef((HERE / "carom.cdef").read_text())
options = flags()
options.setdefault("include_dirs", []).append(str(HERE))
ffi.set_source("carom._carom", '#include "bridge.h"', sources=[f"bridge/{name}.c" for name in ("bridge", "callbacks", "orbits", "serial")], **options)

if __name__ == "__main__":
    ffi.compile(verbose=True)
