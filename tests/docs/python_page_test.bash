#!/usr/bin/env bash
# Does the installation that docs/python.md describes, in a folder of its own. Another python3, which can do nothing, comes
# first on the PATH.
#   python_page_test.bash SOURCE BUILD
set -euo pipefail
source=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CUDA_VISIBLE_DEVICES=-1 PIP_DISABLE_PIP_VERSION_CHECK=1
mkdir "$folder/first"
printf '#!/bin/sh\nexit 9\n' >"$folder/first/python3"
chmod +x "$folder/first/python3"
export PATH=$folder/first:$PATH
cd "$source"

sed -n 's/^    \$ //p' docs/python.md | sed "s# build # $build #; s#\\(^\\| \\)v\\(/\\|\$\\)#\\1$folder/v\\2#" >"$folder/commands"
[ -s "$folder/commands" ]
bash -euo pipefail -x "$folder/commands" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cd "$folder"
v/bin/python - <<'PYTHON'
from pathlib import Path
import bombard.program
package = Path(bombard.__file__).parent
assert package.is_relative_to(Path("v").resolve()), package
assert {"_core.pyi", "py.typed", "solve.py"} <= {file.name for file in package.iterdir()}
assert bombard.program.program() == str(package / "bin" / "bombard")
PYTHON
v/bin/python -m bombard --version | grep -q '^bombard '
