#!/usr/bin/env bash
# The wheel on a Debian that has Python, NumPy and pytest, and no compiler: installed into an environment, where all
# tests of the module pass; it is compared with the tarball's program. For tools/bare.
#   python.bash FOLDER
set -euo pipefail
apt-get update -qq
apt-get install -y -qq --no-install-recommends python3-venv python3-numpy python3-pytest >/dev/null
if command -v g++ cmake; then exit 1; fi
tests=$PWD/tests/python
cd /root
python3 -m venv --system-site-packages environment
environment/bin/pip install --quiet --no-index --find-links "$1" particle-bombardment
BOMBARD_PROGRAM=/opt/bombard/bin/bombard environment/bin/python -B -m pytest -q -p no:cacheprovider "$tests"
environment/bin/python -c 'import bombard; print(bombard.__version__, bombard.__file__)'
environment/bin/pip uninstall --quiet -y particle-bombardment
[ -z "$(find environment -path '*bombard*')" ]
