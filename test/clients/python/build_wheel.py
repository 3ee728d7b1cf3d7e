"""build_wheel.py PACKAGE FOLDER: builds as `python -m build` does, the wheel from the archive of the sources.

Prints the files of the wheel and its metadata, and unpacks it to FOLDER/installed.
"""

import os
import sys
import tarfile
import zipfile

from hatchling.build import build_sdist, build_wheel

package, folder = sys.argv[1:]
os.chdir(package)
source = build_sdist(folder)
with tarfile.open(os.path.join(folder, source)) as archive:
    archive.extractall(folder)
os.chdir(os.path.join(folder, source[: -len(".tar.gz")]))
with zipfile.ZipFile(os.path.join(folder, build_wheel(folder))) as wheel:
    names = wheel.namelist()
    print(*names, sep="\n")
    print(next(wheel.read(name).decode() for name in names if name.endswith("/METADATA")))
    wheel.extractall(os.path.join(folder, "installed"))
