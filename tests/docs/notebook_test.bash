#!/usr/bin/env bash
# Runs the cells of docs/lesson.ipynb in an empty folder; a cell that raises an exception fails. What does not depend on
# the machine must be printed as the page shows it: the table of mistakes.
#   notebook_test.bash SOURCE PYTHON
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder IPYTHONDIR=$folder/ipython JUPYTER_PLATFORM_DIRS=1 PYDEVD_DISABLE_FILE_VALIDATION=1
cp "$1/docs/lesson.ipynb" "$folder"
cd "$folder"
"$2" -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=600 --output done.ipynb lesson.ipynb >log 2>&1 ||
  { cat log; exit 1; }
"$2" - <<'PYTHON'
import json

def printed(name):
    with open(name) as file:
        cells = json.load(file)["cells"]
    texts = [("".join(out.get("text", [])), "".join(out.get("data", {}).get("text/plain", []))) for cell in cells
             for out in cell.get("outputs", [])]
    return [texts_of for texts_of in texts if any(word in "".join(texts_of) for word in ("e-", "True", "right, by", "wrong, by"))]

shown, done = printed("lesson.ipynb"), printed("done.ipynb")
assert len(shown) >= 7, shown
assert shown == done, f"{shown}\n{done}"
PYTHON
