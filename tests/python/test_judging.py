import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

import bombard

answers = """#!/bin/sh
[ "$1" = -t ] && shift 2
[ "$NAME" = value ] || exit 9
echo "Time: 0.0001"; echo "Result: 0 0.0"
"""


@pytest.fixture
def program(tmp_path):
    """A program that finds no peak, with two cases, one without a peak and one with a peak."""
    for name, impacts in (("flat", "1\n0 5\n"), ("peak", "1\n10 5\n")):
        case = tmp_path / "cases" / name
        case.mkdir(parents=True)
        (case / "case.json").write_text('{"cells": 20, "storms": ["storm.txt"]}')
        (case / "storm.txt").write_text(impacts)
    path = tmp_path / "program"
    path.write_text(answers)
    path.chmod(0o755)
    return path


def test_the_result_is_the_object_of_the_program(program):
    result = bombard.judge(
        program, cases=program.parent / "cases", command="env NAME=value {program} -t {threads} {cells} {storms}",
        threads=[2], points="10", tolerance=0,
    )
    assert (result["program"], result["version"]) == ("bombard", bombard.__version__)
    judged = result["programs"][0]
    assert (judged["program"], judged["threads"], judged["kind"], judged["right"]) == (str(program), 2, "wrong", False)
    assert {case["case"]: case["kind"] for case in judged["cases"]} == {"flat": "right", "peak": "wrong"}
    assert judged["cases"][0]["time_seconds"] == 0.0001
    for threads, numbers in ((1, [1]), ("1,2", [1, 2])):
        again = bombard.judge(
            program, cases=program.parent / "cases", command="env NAME=value {program} {cells} {storms}", threads=threads, memory=1e9
        )
        assert [each["threads"] for each in again["programs"]] == numbers


def test_names_are_utf_8_whatever_the_locale_says(program):
    named = program.rename(program.parent / "prögram")
    arguments = f"os.fsdecode({os.fsencode(named)!r}), cases={os.fspath(program.parent / 'cases')!r}"
    code = f"import bombard, os; print(ascii(bombard.judge({arguments})['programs'][0]['program']))"
    environment = dict(os.environ, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.endswith("/pr\\xf6gram'\n"), done.stderr


def test_wrong_arguments(program):
    with pytest.raises(bombard.InputError, match="PROGRAM is missing; see `bombard judge --help`"):
        bombard.judge()
    with pytest.raises(bombard.InputError, match="^repeat 0 is out of range"):
        bombard.judge(program, repeat=0)
    with pytest.raises(TypeError, match="'case' is not an option of judge"):
        bombard.judge(program, case="quick")


@pytest.mark.parametrize("in_thread", [False, True])
def test_signals_that_are_ignored_change_nothing(program, in_thread):
    program.write_text("#!/bin/sh\nkill -SEGV $$\n")
    cases = os.fspath(program.parent / "cases")
    code = f"""
import bombard, signal, threading
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def judge():
    print(bombard.judge({str(program)!r}, cases={cases!r})["programs"][0]["kind"])
    try:
        bombard.judge("missing")
    except (bombard.InputError, bombard.CannotRun) as error:
        print(error)
    assert signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
thread = threading.Thread(target=judge)
thread.start() if {in_thread} else judge()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "crash\nmissing: there is no such file; give the path of a program\n", done.stderr


def is_running(*command):
    wanted = b"".join(word.encode() + b"\0" for word in command)
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it may have ended
            if path.read_bytes() == wanted:
                return True
    return False


def test_an_interruption_ends_what_is_judged(program):
    program.write_text("#!/bin/sh\nexec sleep 61.5\n")
    code = f"import bombard; bombard.judge({str(program)!r}, cases={str(program.parent / 'cases')!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    while not is_running("sleep", "61.5"):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in process.communicate(timeout=30)[1]
