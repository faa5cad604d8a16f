"""Simulated rooms in the memory of the GPU, and batches of them: rotated, mirrored, and with some of their links."""

import json
import os
import struct
from dataclasses import dataclass

import numpy as np
import torch

import geometry
from networks import mirror_image
from shapes import *

LINKS = 9
# More windows than a room has, so that a stretch may reach beyond its end.
WINDOWS = 256


def read_room(path):
    """The head of a file that export.ts wrote, and its arrays by name."""
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack_from("<I", content)
    head = json.loads(content[4:4 + length])
    arrays = {}
    for described in head.pop("arrays"):
        count, start = int(np.prod(described["shape"])), 4 + length + described["at"]
        values = np.frombuffer(content, described["type"], count, start)
        arrays[described["name"]] = values.reshape(described["shape"])
    return head, arrays


@dataclass
class Batch:
    """Windows [w] of rooms [b] with their links [l]; of those that are missing or beyond a course's end, zeros."""

    features: torch.Tensor  # [w, b, l, LINK_FEATURES]
    there: torch.Tensor  # [w, b, l]: 1 if the link is there
    number: torch.Tensor  # [w, b]: links that are there, at least 1
    valid: torch.Tensor  # [w, b]
    links: torch.Tensor  # [b, l, 6]
    size: torch.Tensor  # [b, 2]
    centres: torch.Tensor  # [b, CELLS, 2]
    people: torch.Tensor  # [w, b]
    truth: torch.Tensor  # [w, b, PEOPLE, TOLD]


@dataclass
class Augmentation:
    """How rooms of a batch differ from those simulated."""

    fewer_links: float = 0.4  # share of the rooms with some of their links
    uncalibrated: float = 0.1  # share whose calibration is taken away
    swapped: float = 0.5  # share of the links whose ends are exchanged: a channel is the same in both directions
    misplaced: float = 0.25  # metres: largest standard deviation of a node's coordinate


class Rooms:
    """All rooms of a folder; `refresh` adds those written since."""

    def __init__(self, folder, device, gigabytes=24.0, most=4000):
        self.folder, self.device = folder, device
        self.known, self.centres, self.windows, self.links = set(), [], [], []
        rows = int(gigabytes * 1e9 / (2 * LINK_FEATURES))
        self.features = torch.zeros(rows, LINK_FEATURES, dtype=torch.float16, device=device)
        self.rows = 0
        self.row = torch.full((most, WINDOWS, LINKS), -1, dtype=torch.int32, device=device)
        self.places = torch.zeros(most, LINKS, 6, device=device)
        self.size = torch.ones(most, 2, device=device)
        self.people = torch.zeros(most, WINDOWS, dtype=torch.int64, device=device)
        self.truth = torch.zeros(most, WINDOWS, PEOPLE, TOLD, device=device)

    def __len__(self):
        return len(self.windows)

    def refresh(self, most=10_000):
        """Reads at most so many new files; what no longer fits is left out."""
        new = sorted(name for name in os.listdir(self.folder) if name.endswith(".room") and name not in self.known)
        for name in new[:most]:
            self.known.add(name)
            self.add(*read_room(os.path.join(self.folder, name)))

    def add(self, head, arrays):
        """Copies one room."""
        (windows, links), rows, index = arrays["row"].shape, len(arrays["features"]), len(self)
        if self.rows + rows > len(self.features) or index == len(self.size):
            return

        def copy(to, name):
            to.copy_(torch.from_numpy(arrays[name].copy()))

        copy(self.features[self.rows:self.rows + rows], "features")
        row = torch.from_numpy(arrays["row"].copy())
        self.row[index, :windows, :links] = torch.where(row < 0, row, row + self.rows).to(self.device)
        copy(self.places[index, :links], "places")
        copy(self.size[index], "size")
        copy(self.people[index, :windows], "people")
        copy(self.truth[index, :windows], "truth")
        self.rows += rows
        self.windows.append(windows)
        self.links.append(links)
        self.centres.append(head["centreMhz"])


class Course:
    """Some rooms, each as it is or augmented, of which stretches of windows are taken one after the other."""

    def __init__(self, rooms, chosen, augmentation=None, packed=False):
        """packed: without the columns of links that no room has, for as little work as possible."""
        self.rooms, self.index, self.packed = rooms, torch.tensor(chosen, device=rooms.device), packed
        self.size, self.links = rooms.size[self.index], rooms.places[self.index]
        self.keep = torch.ones(len(chosen), LINKS, dtype=torch.bool, device=rooms.device)
        self.calibrated = torch.ones(len(chosen), device=rooms.device)
        self.turn = None
        if augmentation:
            self.augment([rooms.links[room] for room in chosen], augmentation)

    def augment(self, links, how):
        """Draws an orientation, links, a calibration and where nodes seem to be."""
        count, device = len(links), self.rooms.device
        quarters, signs = np.random.randint(4, size=count), np.random.choice([1, -1], count)
        cos, sin = np.array([1, 0, -1, 0])[quarters], np.array([0, 1, 0, -1])[quarters]
        matrix = np.stack([np.stack([cos * signs, -sin], -1), np.stack([sin * signs, cos], -1)], 1)
        self.turn = torch.tensor(matrix, dtype=torch.float32, device=device)
        self.mirrored = torch.tensor(signs < 0, device=device)
        self.middle = self.size / 2
        self.size = torch.where(torch.tensor(quarters % 2 == 1, device=device)[:, None], self.size.flip(-1), self.size)
        ends = self.links.view(count, LINKS, 2, 3)
        ends = torch.cat([self.placed(ends[..., :2]), ends[..., 2:]], -1)
        ends = ends + how.misplaced * torch.rand(count, 1, 1, 1, device=device) * torch.randn_like(ends)
        swapped = torch.rand(count, LINKS, 1, 1, device=device) < how.swapped
        self.links = torch.where(swapped, ends.flip(2), ends).flatten(2)
        keep = np.ones((count, LINKS), dtype=bool)
        for room in np.flatnonzero((np.random.rand(count) < how.fewer_links) & (np.array(links) > 2)):
            left_out = links[room] - np.random.randint(2, links[room])
            keep[room, np.random.permutation(links[room])[:left_out]] = False
        self.keep = torch.tensor(keep, device=device)
        self.calibrated = (torch.rand(count, device=device) >= how.uncalibrated).float()

    def placed(self, at):
        """Places [b, ..., 2] in the turned rooms."""
        shape = (len(self.size),) + (1,) * (at.dim() - 2) + (2,)
        return self.vectors(at - self.middle.view(shape)) + (self.size / 2).view(shape)

    def vectors(self, vectors):
        """Vectors [b, ..., 2] in the turned rooms."""
        return torch.einsum("bij,b...j->b...i", self.turn, vectors)

    def stretch(self, start, count):
        """Windows from `start` on."""
        rooms = self.rooms
        row = rooms.row[self.index, start:start + count].masked_fill(~self.keep[:, None], -1).transpose(0, 1)
        links = self.links
        if self.packed:
            row, links = packed(row, links)
        there = (row >= 0).float()
        features = rooms.features[row.clamp(min=0).flatten()].view(*row.shape, LINK_FEATURES)
        features[..., CALIBRATED] *= self.calibrated[:, None, None].half()
        truth = rooms.truth[self.index, start:start + count]
        if self.turn is not None:
            truth = self.turned(truth)
        number = there.sum(-1)
        return Batch(
            features=features, there=there, number=number.clamp(min=1), valid=number > 0, links=links,
            size=self.size, centres=geometry.centres(self.size), truth=truth.transpose(0, 1),
            people=rooms.people[self.index, start:start + count].transpose(0, 1),
        )

    def turned(self, truth):
        """Ground truth in the turned rooms: a body has its own axes, so only a mirror changes it."""
        body = truth[..., TRUE_JOINTS].unflatten(-1, (JOINTS, 3))
        body = torch.where(self.mirrored[:, None, None, None, None], mirror_image(body), body).flatten(-2)
        place, heading = self.placed(truth[..., TRUE_PLACE]), self.vectors(truth[..., TRUE_HEADING])
        return torch.cat([place, heading, truth[..., TRUE_POSTURE:TRUE_SPEED + 1], body], -1)


def packed(row, links):
    """Rows [w, b, l] and links [b, l, 6] with the links that a room has first, and without those that no room has."""
    present = (row >= 0).any(0)
    first = present.long().argsort(dim=-1, descending=True, stable=True)[:, :max(1, int(present.sum(-1).max()))]
    return row.gather(2, first.expand(len(row), -1, -1)), links.gather(1, first[..., None].expand(-1, -1, 6))
