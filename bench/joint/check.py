"""
Compares the networks in PyTorch with those of csiflow, on rooms that export.ts wrote with `--answers`: all windows, with
the shipped weights. Exits with 1 where they differ by more than the tolerance.
"""

import argparse
import os
import time

import numpy as np
import torch

from networks import Networks, no_memory
from rooms import Course, Rooms, read_room
from shapes import *

TOLERANCE = 1e-3


def rows_of(answers):
    """Answers as answerRow has them, and probabilities."""
    out = answers.alone
    row = torch.cat([
        out[..., HEADING], answers.place + out[..., OFFSET], out[..., ROOT_SCALE].clamp(LEAST_LOG, MOST_LOG),
        out[..., JOINT_SCALES].clamp(LEAST_LOG, MOST_LOG), out[..., POSTURES].softmax(-1), out[..., MOVING].sigmoid(),
        out[..., BODY],
    ], -1)
    return {"cells": answers.cells.softmax(-1), "counts": answers.counts.softmax(-1), "answer": row}


def differences(weights, folder, name):
    """The largest difference of each answer in one room, and windows per second."""
    _, arrays = read_room(os.path.join(folder, name))
    rooms = Rooms(folder, weights.device, gigabytes=0.1, most=1)
    rooms.features = rooms.features.float()
    rooms.add({"centreMhz": 0}, {**arrays, "features": arrays["exact"]})
    networks, windows = Networks(weights), len(arrays["row"])
    began = time.monotonic()
    with torch.no_grad():
        batch = Course(rooms, [0]).stretch(0, windows)
        alone, read, _ = networks.pose.answers(batch)
        recalled, _ = networks.memory.answers(read, batch, no_memory(1, weights.device))
    speed = windows / (time.monotonic() - began)
    off = {}
    for whose, answers in (("alone", alone), ("recall", recalled)):
        for part, values in rows_of(answers).items():
            off[f"{whose}.{part}"] = float(np.abs(values[:, 0].cpu().numpy() - arrays[f"{whose}.{part}"]).max())
    return off, speed


def main():
    """Prints a line for each room."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="of the rooms")
    parser.add_argument("--weights", default="operators/infer-pose/weights/general")
    options = parser.parse_args()
    weights = torch.from_numpy(load_weights(options.weights, shipped=True))
    worst = 0.0
    for name in sorted(name for name in os.listdir(options.folder) if name.endswith(".room")):
        off, speed = differences(weights, options.folder, name)
        worst = max(worst, *off.values())
        print(name, " ".join(f"{part} {value:.1e}" for part, value in off.items()), f"{speed:.0f} windows/s", flush=True)
    print(f"largest difference {worst:.1e}")
    raise SystemExit(int(worst > TOLERANCE))


if __name__ == "__main__":
    main()
