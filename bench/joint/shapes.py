"""Layers and layouts of infer-pose's two networks, as networks/layers.ts, networks/memory-layers.ts and courses.ts have them."""

import json
import math
import os

import numpy as np

GRID, POINTS, GROUPS, JOINTS, COUNTS, PEOPLE = 8, 100, 13, 17, 5, 4
CELLS = GRID * GRID
COURSE, MAP, FIGURES = POINTS * GROUPS, 200, 58
LINK_FEATURES = COURSE + MAP + FIGURES
CALIBRATED = slice(COURSE + MAP, COURSE + MAP + GROUPS + 2)
PLACE, WALL, DIRECTION = 13, 4, 9
TOKEN, SCORE, SCORED, JOINED, VIEW = 80, 48, 40, 64, 112
STEPS = math.ceil(POINTS / 8)
MIRRORED = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]

# Outputs of the pose head, and of the memory's figure.
HEADING, OFFSET, ROOT_SCALE, JOINT_SCALES = slice(0, 2), slice(2, 4), slice(4, 5), slice(5, 5 + JOINTS)
POSTURES, MOVING = slice(5 + JOINTS, 8 + JOINTS), slice(8 + JOINTS, 9 + JOINTS)
BODY = slice(9 + JOINTS, 9 + 4 * JOINTS)
OUT = 9 + 4 * JOINTS

# Ground truth of a person.
TRUE_PLACE, TRUE_HEADING, TRUE_POSTURE, TRUE_SPEED, TRUE_JOINTS = slice(0, 2), slice(2, 4), 4, 5, slice(6, 6 + 3 * JOINTS)
TOLD = 6 + 3 * JOINTS

POSE_LAYERS = {
    "first": (6 * GROUPS, 40), "second": (240, 48), "third": (288, 64), "course": (STEPS * 64, 80), "map": (MAP, 48),
    "figures": (FIGURES, 40), "token": (168, TOKEN), "score-token": (TOKEN, SCORE), "score-place": (PLACE, SCORE),
    "scored": (SCORE, SCORED), "joined": (2 * SCORED + WALL, JOINED), "logit": (JOINED, 1),
    "crowd": (2 * TOKEN + 2 * JOINED, 64), "count": (64, COUNTS), "view": (TOKEN + PLACE + DIRECTION, VIEW),
    "attention": (VIEW, 1), "wide": (2 * VIEW + WALL, 192), "deep": (192, 144), "out": (144, OUT),
}

# Numbers of a cell's and a room's reading, and of their memories.
CELL, READ_ROOM, ROOM = 14, 40, 96
ROOM_INPUTS = 2 * TOKEN + COUNTS + 7
AROUND = 9 * 2 * CELL
ROOM_STEP = READ_ROOM + 2 * CELL + 8
MEMORY_LAYERS = {
    "read-cell": (JOINED + 1, CELL), "read-room": (ROOM_INPUTS, READ_ROOM), "speed": (READ_ROOM + 2, 1),
    "from-room": (READ_ROOM + 4, 3 * CELL), "cell-gates": (AROUND, 2 * CELL), "cell-news": (AROUND, CELL),
    "logit": (CELL, 1), "room-gates": (ROOM_STEP + ROOM, 2 * ROOM), "room-news": (ROOM_STEP + ROOM, ROOM),
    "count": (ROOM, COUNTS), "body": (CELL + ROOM + 4 * JOINTS + 7, 128), "figure": (128, OUT),
}
BEAT_S, SIDE, INPUT_SCALE, MIN_PROBABILITY = 0.4, 5.0, 1 / 3, 1e-4
LEAST_LOG, MOST_LOG = -4.0, 2.0


def sizes(layers):
    """Numbers of each kernel and bias in turn, as the weights' files have them."""
    return [size for inputs, outputs in layers.values() for size in (inputs * outputs, outputs)]


POSE_PARAMETERS, MEMORY_PARAMETERS = sum(sizes(POSE_LAYERS)), sum(sizes(MEMORY_LAYERS))


def load_weights(folder, shipped=False):
    """Both networks' weights in one array; unless as shipped, without the odds by which crowds are made rarer."""
    with open(os.path.join(folder, "manifest.json"), encoding="utf8") as file:
        odds = json.load(file)["memory"].get("crowdOdds", 1)
    pose, memory = (np.fromfile(os.path.join(folder, name), "<f4") for name in ("weights.bin", "memory.bin"))
    if len(pose) != POSE_PARAMETERS or len(memory) != MEMORY_PARAMETERS:
        raise SystemExit(f"{folder} holds weights of other networks")
    return np.concatenate([pose, memory if shipped else with_odds(memory, 1 / odds)])


def with_odds(memory, odds):
    """The memory's weights with the odds of three people and more multiplied, as withCrowdOdds in crowd-odds.ts."""
    changed = memory.copy()
    ends = dict(zip(MEMORY_LAYERS, np.cumsum(sizes(MEMORY_LAYERS))[1::2]))
    changed[ends["count"] - COUNTS + 3:ends["count"]] += np.float32(math.log(odds))
    return changed


def save_weights(folder, weights):
    """Writes weights.bin and memory.bin; the memory's are without odds, which adopt.ts puts in."""
    os.makedirs(folder, exist_ok=True)
    weights[:POSE_PARAMETERS].astype("<f4").tofile(os.path.join(folder, "weights.bin"))
    weights[POSE_PARAMETERS:].astype("<f4").tofile(os.path.join(folder, "memory.bin"))
