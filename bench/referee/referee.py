"""Compares the simulator's static wall paths with Sionna RT. How to install and run it: README.md beside this file."""

import argparse
import json
import math
import os
import sys
import tempfile

import numpy as np
import mitsuba as mi

mi.set_variant("llvm_ad_mono_polarized")
import sionna.rt as rt  # noqa: E402 (the variant comes first)

LIGHT = 299_792_458.0
WALLS = ("x0", "x1", "y0", "y1", "z0", "z1")
# Approximates a perfect conductor; |reflection| is 1 within 1e-3 dB.
CONDUCTOR = "<bsdf type='radio-material' id='wall-mat'><float name='relative_permittivity' value='1'/>" \
            "<float name='conductivity' value='1e9'/><float name='thickness' value='1'/></bsdf>"
# Wall materials: ITU material and its thickness, metres.
MATERIALS = (("concrete", 0.2), ("brick", 0.115), ("plasterboard", 0.026), ("wood", 0.04), ("glass", 0.012))


def box(folder, size, material):
    """A scene of six walls, each an object of its own so that paths say which they met."""
    x, y, z = size
    corners = {
        "x0": [(0, 0, 0), (0, y, 0), (0, y, z), (0, 0, z)],
        "x1": [(x, 0, 0), (x, 0, z), (x, y, z), (x, y, 0)],
        "y0": [(0, 0, 0), (0, 0, z), (x, 0, z), (x, 0, 0)],
        "y1": [(0, y, 0), (x, y, 0), (x, y, z), (0, y, z)],
        "z0": [(0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0)],
        "z1": [(0, 0, z), (0, y, z), (x, y, z), (x, 0, z)],
    }
    shapes = ""
    for name, points in corners.items():
        path = os.path.join(folder, f"{name}.ply")
        with open(path, "w", encoding="ascii") as file:
            file.write("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                       "property float z\nelement face 2\nproperty list uchar int vertex_index\nend_header\n")
            file.writelines(f"{a:.9f} {b:.9f} {c:.9f}\n" for a, b, c in points)
            file.write("3 0 1 2\n3 0 2 3\n")
        shapes += f"<shape type='ply' id='mesh-{name}'><string name='filename' value='{path}'/>" \
                  "<boolean name='face_normals' value='true'/><ref id='wall-mat' name='bsdf'/></shape>"
    path = os.path.join(folder, "box.xml")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"<scene version='2.1.0'>{material}{shapes}</scene>")
    return path


def trace(room, carrier, material):
    """Paths of Sionna RT as (walls in the order met, complex amplitude at the carrier, delay)."""
    with tempfile.TemporaryDirectory() as folder:
        scene = rt.load_scene(box(folder, room["size"], material), merge_shapes=False)
        scene.frequency = carrier
        antenna = rt.PlanarArray(num_rows=1, num_cols=1, pattern="iso", polarization="V")
        scene.tx_array = scene.rx_array = antenna
        scene.add(rt.Transmitter("tx", position=room["transmitter"]))
        scene.add(rt.Receiver("rx", position=room["receiver"]))
        names = {scene.objects[name].object_id: name for name in scene.objects}
        paths = rt.PathSolver()(scene, max_depth=2, diffuse_reflection=False, refraction=False)
        real, imaginary = (np.array(part).ravel() for part in paths.a)
        delays = np.array(paths.tau).ravel()
        objects = np.array(paths.objects).reshape(paths.objects.shape[0], -1)
        valid = np.array(paths.valid).ravel()
        found = []
        for i in np.flatnonzero(valid):
            walls = tuple(WALLS.index(names[one]) for one in objects[:, i] if one in names)
            found.append((walls, real[i] + 1j * imaginary[i], delays[i]))
        return found


def ours(path):
    values = np.array(path["response"])
    return values[0::2] + 1j * values[1::2]


def gap(room, walls):
    """Metres between the bounces off two walls at right angles: next to nothing at their common edge."""
    shares = []
    for wall in walls:
        axis, end = divmod(wall, 2)
        plane = room["size"][axis] * end
        sent, heard = (abs(room[name][axis] - plane) for name in ("transmitter", "receiver"))
        shares.append(sent / (sent + heard))
    return abs(shares[0] - shares[1]) * math.dist(room["transmitter"], room["receiver"])


def compare(room, found, frequencies):
    """One row for each wall, or pair of walls, that either side has."""
    rows = []
    for path in room["paths"]:
        mine = ours(path)
        same = [(a, tau) for walls, a, tau in found if sorted(walls) == path["walls"]]
        if not same:
            if np.max(np.abs(mine)) > 0:
                rows.append({"walls": path["walls"], "missing": "in Sionna RT", "edge_m": gap(room, path["walls"])})
            continue
        theirs = sum(a * np.exp(-2j * math.pi * frequencies * tau) for a, tau in same)
        row = {"walls": path["walls"]}
        level = 10 * math.log10(np.mean(np.abs(mine) ** 2) / np.mean(np.abs(theirs) ** 2))
        phase = np.angle(mine * np.conj(theirs), deg=True)
        row["level_db"] = level
        row["phase_deg"] = float(np.sqrt(np.mean(phase**2)))
        if len(same) == 1:
            turns = np.unwrap(np.angle(mine))
            tau = -np.polyfit(frequencies - frequencies.mean(), turns, 1)[0] / (2 * math.pi)
            row["delay_error_m"] = float((tau - same[0][1]) * LIGHT)
        rows.append(row)
    known = [path["walls"] for path in room["paths"]]
    rows += [{"walls": list(walls), "missing": "in the simulator"} for walls, _, _ in found if sorted(walls) not in known]
    return rows


def coefficients(data, material):
    """What one bounce off a wall of a real material does to a vertical antenna's field, against free space."""
    walls, floors = [], []
    for room in data["rooms"]:
        for hit, amplitude, delay in trace(room, data["carrier"], material):
            if len(hit) == 1:
                free = LIGHT / data["carrier"] / (4 * math.pi * LIGHT * delay)
                (floors if hit[0] >= 4 else walls).append(amplitude / free)
    return np.array(walls), np.array(floors)


def spread(values):
    low, middle, high = np.percentile(np.abs(values), [10, 50, 90])
    off = np.abs(np.angle(-values, deg=True))
    return f"{middle:.2f} ({low:.2f} to {high:.2f}) | {np.median(off):.0f} ({np.percentile(off, 90):.0f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", help="what paths.ts printed")
    options = parser.parse_args()
    with open(options.paths, encoding="utf8") as file:
        data = json.load(file)
    frequencies = data["carrier"] + data["spacing"] * np.array(data["subcarriers"], dtype=float)
    rows = []
    for room in data["rooms"]:
        found = trace(room, data["carrier"], CONDUCTOR)
        rows += compare(room, found, frequencies)
        print(f"room {room['seed']}: {len(found)} paths", file=sys.stderr)
    print("| paths | compared | largest difference of length | of level | largest rms of phase over carriers | on one side only |")
    print("|---|---|---|---|---|---|")
    for order, name in enumerate(("line of sight", "one wall", "two walls")):
        group = [row for row in rows if len(row["walls"]) == order]
        both = [row for row in group if "missing" not in row]
        length = max((abs(row["delay_error_m"]) for row in both if "delay_error_m" in row), default=math.nan)
        level = max((abs(row["level_db"]) for row in both), default=math.nan)
        phase = max((row["phase_deg"] for row in both), default=math.nan)
        print(f"| {name} | {len(both)} | {1e6 * length:.1f} um | {level:.4f} dB | {phase:.3f} degrees | {len(group) - len(both)} |")
    print()
    print("| material | walls: amplitude, median (10 to 90 %) | degrees off -1, median (90 %) | floor and ceiling: amplitude | degrees off -1 |")
    print("|---|---|---|---|---|")
    for material, thickness in MATERIALS:
        bsdf = f"<bsdf type='itu-radio-material' id='wall-mat'><string name='type' value='{material}'/>" \
               f"<float name='thickness' value='{thickness}'/></bsdf>"
        walls, floors = coefficients(data, bsdf)
        print(f"| {material}, {100 * thickness:g} cm | {spread(walls)} | {spread(floors)} |")
    for row in rows:
        if "missing" in row:
            print(f"not {row['missing']}: {row}", file=sys.stderr)
    worst = [row for row in rows if "missing" not in row and (
        abs(row["level_db"]) > 1 or row["phase_deg"] > 5 or abs(row.get("delay_error_m", 0)) > 1e-3)]
    for row in worst[:20]:
        print(f"outside the bounds: {row}", file=sys.stderr)
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main())
