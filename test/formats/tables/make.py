"""Makes the files beside it: NumPy 2.4, SciPy 1.17, h5py 3.16. Four frames, two antennas, three carriers."""

import gzip

import h5py
import numpy as np
from scipy.io import savemat
from scipy.sparse import csr_array

t, r, k = np.meshgrid(np.arange(4), np.arange(2), np.arange(3), indexing="ij")
csi = (t + 10 * r + 100 * k) + 1j * (0.5 * k - t)
time = np.array([0.0, 0.01, 0.02, 0.04])
mac = np.array(["aa:00:00:00:00:01", "aa:00:00:00:00:02"] * 2)

np.save("complex.npy", csi.astype(np.complex64))
np.save("fortran.npy", np.asfortranarray(csi.real[:, 0, :].astype(np.float32)))
pairs = np.stack([csi.imag[:, 0, :], csi.real[:, 0, :] - 100], axis=-1).reshape(4, 6)
np.savez_compressed(
    "several.npz",
    csi=csi,
    time=time,
    mac=mac,
    pairs=np.round(pairs).astype(np.int8),
    labels=np.array([{}, 1], dtype=object),
)
savemat("level5.mat", {"csi": csi.transpose(1, 2, 0), "time": time, "s": {"amp": np.abs(csi), "phase": np.angle(csi)}}, do_compression=True)
np.savez("widths.npz", half=csi.real.astype(">f2"), big=csi.astype(">c16"), small=csi.imag.astype("<f2"), names=mac.astype(">U17"))
savemat("others.mat", {"csi": csi, "near": csr_array(np.eye(3)), "text": "röm", "cells": np.array([1, "a"], dtype=object)})
with h5py.File("plain.h5", "w", libver="latest") as file:
    file["group/csi"] = csi
    file["group/time_ms"] = (time * 1000).astype("i4")
    file["names"] = [b"a", b"b"]
# As MATLAB writes it: a block of 512 bytes before, the axes the other way round, complex numbers as real and imag.
with h5py.File("level73.mat", "w", userblock_size=512) as file:
    turned = csi.transpose()
    numbers = np.zeros(turned.shape, dtype=[("real", "f8"), ("imag", "f8")])
    numbers["real"], numbers["imag"] = turned.real, turned.imag
    file["csi"] = numbers
    file["csi"].attrs["MATLAB_class"] = np.bytes_("double")
rows = ["time,rssi,note," + ",".join(f"csi_{i}" for i in range(9))]
rows += [f"{time[i]},-4{i},walk," + ",".join(str(float(i + 10 * j)) for j in range(9)) for i in range(4)]
with open("named.csv.gz", "wb") as out:
    out.write(gzip.compress("\n".join(rows).encode() + b"\n", mtime=0))
# As MATLAB saves what read_bf_file returns: three cells, of which the second one is empty.
def measurement(i, tx):
    values = np.arange(tx * 3 * 30).reshape(tx, 3, 30) % 100 - 50
    fields = dict(timestamp_low=2**32 - 1000 + 2000 * i - 2**32 * (i > 0), bfee_count=7 + i, Nrx=3, Ntx=tx, rssi_a=30 + i, rssi_b=31, rssi_c=0)
    return fields | dict(noise=-92, agc=40, perm=[2, 1, 3], rate=0x4100, csi=values + 1j * (i - values))
trace = np.empty((3, 1), dtype=object)
trace[:, 0] = [measurement(0, 1), np.zeros((0, 0)), measurement(2, 2)]
savemat("trace.mat", {"csi_trace": trace})
# As MATLAB writes cells and structures of version 7.3: cells and elements of structures are references into `#refs#`.
class Level73:
    def __init__(self, file):
        self.file, self.count = file, 0

    def put(self, group, name, value):
        """A number, text, list (cells), dict (structure), or tuple of dicts (array of structures)."""
        if isinstance(value, tuple):
            inside = group.create_group(name)
            inside.attrs["MATLAB_class"] = np.bytes_("struct")
            for field in value[0]:
                references = [self.reference(each[field]) for each in value]
                inside.create_dataset(field, data=np.array(references, dtype=h5py.ref_dtype).reshape(-1, 1), dtype=h5py.ref_dtype)
        elif isinstance(value, dict):
            inside = group.create_group(name)
            inside.attrs["MATLAB_class"] = np.bytes_("struct")
            for field, each in value.items():
                self.put(inside, field, each)
        elif isinstance(value, list):
            references = np.array([self.reference(each) for each in value], dtype=h5py.ref_dtype)
            self.dataset(group, name, references.reshape(1, -1), "cell", h5py.ref_dtype)
        elif isinstance(value, str):
            self.dataset(group, name, np.array([[ord(each)] for each in value], dtype="u2"), "char")
        else:
            numbers = np.atleast_2d(np.asarray(value, dtype=complex if np.iscomplexobj(value) else float))
            if numbers.size == 0:
                self.dataset(group, name, np.array(numbers.shape, dtype="u8"), "double").attrs["MATLAB_empty"] = np.uint8(1)
            elif np.iscomplexobj(numbers):
                pairs = np.zeros(numbers.T.shape, dtype=[("real", "f8"), ("imag", "f8")])
                pairs["real"], pairs["imag"] = numbers.T.real, numbers.T.imag
                self.dataset(group, name, pairs, "double")
            else:
                self.dataset(group, name, numbers.T, "double")

    def dataset(self, group, name, data, kind, dtype=None):
        made = group.create_dataset(name, data=data, dtype=dtype)
        made.attrs["MATLAB_class"] = np.bytes_(kind)
        return made

    def reference(self, value):
        inside, name = self.file.require_group("#refs#"), f"r{self.count}"
        self.count += 1
        self.put(inside, name, value)
        return inside[name].ref


with h5py.File("cells73.mat", "w", userblock_size=512) as file:
    level = Level73(file)
    level.put(file, "csi", [csi[i] for i in range(4)])
    level.put(file, "time", time)
    level.put(file, "s", {"amp": np.abs(csi), "phase": np.angle(csi), "room": "kitchen"})
    level.put(file, "packets", tuple({"amp": np.abs(csi[i]), "rssi": -40 - i} for i in range(4)))
    level.put(file, "mixed", [1.0, "a"])
    level.put(file, "uneven", [np.ones((2, 3)), np.ones((3, 3))])
with h5py.File("trace73.mat", "w", userblock_size=512) as file:
    Level73(file).put(file, "csi_trace", [measurement(0, 1), np.zeros((0, 0)), measurement(2, 2)])
