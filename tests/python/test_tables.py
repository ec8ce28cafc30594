"""Storms as tables: columns are recognised by their names, whichever library holds them."""

import ctypes

import numpy as np
import pytest

import bombard


class Structure(ctypes.Structure):
    """A structure of Arrow's C stream interface; release() marks it."""


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


def callback(structure, result=None, *arguments):
    return ctypes.CFUNCTYPE(result, ctypes.POINTER(structure), *arguments)


number, text, address = ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p
Schema._fields_ = [
    ("format", text), ("name", text), ("metadata", text), ("flags", number), ("n_children", number),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", address), ("release", callback(Schema)),
    ("private_data", address),
]
Array._fields_ = [
    ("length", number), ("null_count", number), ("offset", number), ("n_buffers", number), ("n_children", number),
    ("buffers", ctypes.POINTER(address)), ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", address),
    ("release", callback(Array)), ("private_data", address),
]
Stream._fields_ = [
    ("get_schema", callback(Stream, ctypes.c_int, ctypes.POINTER(Schema))),
    ("get_next", callback(Stream, ctypes.c_int, ctypes.POINTER(Array))),
    ("get_last_error", callback(Stream, address)), ("release", callback(Stream)), ("private_data", address),
]

capsule_of = ctypes.pythonapi.PyCapsule_New
capsule_of.restype, capsule_of.argtypes = ctypes.py_object, [address, text, address]


class Table:
    """A table of columns [(name, format, parts)]; a part is (values, offset, validity bits or None)."""

    def __init__(self, *columns, error=0):
        self.columns_of_it = columns
        self.error = error
        self.released = 0
        self.kept = []

    def __arrow_c_stream__(self, requested_schema=None):
        self.next = 0
        functions = (self.get_schema, self.get_next, self.get_last_error, self.release)
        stream = Stream(*(kind(function) for (_, kind), function in zip(Stream._fields_, functions)))
        self.kept.append(stream)
        return capsule_of(ctypes.addressof(stream), b"arrow_array_stream", None)

    def keep(self, array):
        self.kept.append(array)
        return array

    def children(self, kind, all_children):
        pointers = (ctypes.POINTER(kind) * len(all_children))(*map(ctypes.pointer, all_children))
        return self.keep(pointers)

    def release(self, structure):
        self.released += 1
        structure[0].release = type(structure[0].release)()

    def get_schema(self, stream, out):
        children = [Schema(format=kind.encode(), name=name.encode()) for name, kind, _ in self.columns_of_it]
        out[0] = self.keep(Schema(format=b"+s", name=b"", n_children=len(children), release=callback(Schema)(self.release)))
        out[0].children = self.children(Schema, children)
        return 0

    def get_next(self, stream, out):
        out[0] = Array()
        if self.error or self.next == len(self.columns_of_it[0][2]):
            return self.error
        children = []
        for values, offset, bits in (parts[self.next] for _, _, parts in self.columns_of_it):
            bitmap = None if bits is None else ctypes.addressof(self.keep(ctypes.create_string_buffer(bytes([bits]))))
            buffers = self.keep((address * 2)(bitmap, self.keep(values).ctypes.data))
            children.append(Array(length=len(values) - offset, null_count=-1, offset=offset, n_buffers=2, buffers=buffers))
        out[0] = self.keep(Array(length=children[0].length, n_children=2, release=callback(Array)(self.release)))
        out[0].children = self.children(Array, children)
        self.next += 1
        return 0

    def get_last_error(self, stream):
        return ctypes.addressof(self.keep(ctypes.create_string_buffer(b"the disk is gone")))


def i8(*values):
    return np.array(values, np.int64)


def table(energies=((np.array([500, 7], np.int16), 0, None),), positions=((i8(5, 30), 0, None),), kind="s", **options):
    return Table(("energy", kind, energies), ("position", "l", positions), **options)


@pytest.fixture
def maxima():
    return bombard.run(60, [([5, 30], [500, 7])]).maxima.tolist()


def test_columns_come_by_arrows_interface(maxima):
    whole = table()
    assert bombard.run(60, [whole]).maxima.tolist() == maxima
    assert whole.released == 2  # the schema and the only part; the stream is its capsule's
    with pytest.raises(bombard.InputError, match="storms is one storm"):
        bombard.run(60, whole)
    in_parts = table([(np.array([3, 500], np.int16), 1, None), (np.array([7], np.int16), 0, 1)],
                     [(i8(5), 0, None), (i8(1, 2, 30), 2, 0b100)])
    assert bombard.run(60, [in_parts]).maxima.tolist() == maxima
    assert bombard.run(60, [table((), ())]).maxima.tolist() == [(0, 0.0)]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (lambda: table([(np.array([500, 7], np.int16), 0, 0b01)]), "the column energy has nulls; drop or fill their rows"),
        (lambda: table(kind="u"), 'the column energy does not hold plain numbers; its type in Arrow is "u"'),
        (lambda: table([(np.array([500, 7.5]), 0, None)], kind="g"), "energies: float64 values; they must be integers"),
        (lambda: table([(i8(500, 2**31), 0, None)], kind="l"), "impact 1: energy 2147483648 is not between"),
        (lambda: table(error=5), "reading a table failed: the disk is gone"),
        (lambda: Table(("energy", "l", [(i8(1), 0, None)])), "a storm has the columns position and energy, not energy; rename"),
    ],
)
def test_what_is_no_storm(wrong, complaint):
    with pytest.raises(bombard.InputError, match=complaint):
        bombard.run(60, [wrong()])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_of_libraries(library, maxima):
    module = pytest.importorskip(library)
    make = getattr(module, "DataFrame", getattr(module, "table", None))
    assert bombard.run(60, [make({"energy": [500, 7], "position": [5, 30]})]).maxima.tolist() == maxima
    with pytest.raises(bombard.InputError, match="a storm has the columns position and energy, not at, energy"):
        bombard.run(60, [make({"at": [500, 7], "energy": [5, 30]})])


def test_missing_values_of_pandas(maxima):
    pandas = pytest.importorskip("pandas")
    nullable = pandas.DataFrame({"energy": [500, 7], "position": [5, 30]}, dtype="Int64")
    assert bombard.run(60, [nullable]).maxima.tolist() == maxima
    with pytest.raises(ValueError, match=r"storm 1: energies\[1\] is missing; leave those out, .dropna\(\)"):
        bombard.run(60, [nullable.where(nullable != 7)])
