#!/usr/bin/env bash
# Runs the cells of docs/lesson.ipynb in an empty folder; a cell that raises an exception fails.
#   notebook_test.bash SOURCE PYTHON
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder IPYTHONDIR=$folder/ipython JUPYTER_PLATFORM_DIRS=1 PYDEVD_DISABLE_FILE_VALIDATION=1
cp "$1/docs/lesson.ipynb" "$folder"
cd "$folder"
"$2" -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=600 --output done.ipynb lesson.ipynb >log 2>&1 ||
  { cat log; exit 1; }
