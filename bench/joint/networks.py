"""
Both networks of infer-pose in PyTorch, for stretches of windows [w] of some rooms [b] with up to [l] links. They give
what networks/network.ts, sights/estimate.ts, sights/reading.ts and memory/memory.ts give: check.py compares them.
"""

import functools
from dataclasses import dataclass

import torch
import torch.nn.functional as F

import geometry
from shapes import *


@dataclass
class Answers:
    """What a network says of each window: places of a person alone, and the rest in the order of OUT, logits and logs."""

    cells: torch.Tensor  # logits [n, CELLS]
    counts: torch.Tensor  # logits [n, COUNTS]
    place: torch.Tensor  # expected place of the floor's map [n, 2]
    alone: torch.Tensor  # [n, OUT], offset from that place


class Dense:
    """Layers by name, from one array of weights."""

    def __init__(self, layers, weights):
        parts = torch.split(weights, sizes(layers))
        self.kernels = {name: kernel.view(shape) for (name, shape), kernel in zip(layers.items(), parts[0::2])}
        self.biases = dict(zip(layers, parts[1::2]))

    def __call__(self, name, x):
        return F.linear(x, self.kernels[name].t(), self.biases[name])

    def part(self, name, x, start):
        """What some of the inputs, from `start` on, contribute."""
        return x @ self.kernels[name][start:start + x.shape[-1]]


class PoseNetwork:
    """Reads each window by itself."""

    def __init__(self, weights):
        self.dense = Dense(POSE_LAYERS, weights)
        self.turns, self.signs = geometry.axes(weights.device)

    def tokens(self, features):
        """A token for each link, [..., TOKEN], from [..., LINK_FEATURES]."""
        x = features[..., :COURSE].reshape(-1, POINTS, GROUPS)
        for layer in ("first", "second", "third"):
            x = self.convolve(layer, x)
        parts = [
            self.relu("course", x.flatten(1).view(*features.shape[:-1], -1)),
            self.relu("map", features[..., COURSE:COURSE + MAP]),
            self.relu("figures", features[..., COURSE + MAP:]),
        ]
        return self.relu("token", torch.cat(parts, -1))

    def convolve(self, layer, x):
        """A kernel of six points, stride two, over [rows, time, channels]."""
        channels = x.shape[2]
        patches = F.pad(x, (0, 0, 2, 2 + x.shape[1] % 2)).unfold(1, 6, 2).flatten(2)
        kernel = self.dense.kernels[layer].view(6, channels, -1).transpose(0, 1).reshape(6 * channels, -1)
        return F.relu(patches @ kernel + self.dense.biases[layer])

    def relu(self, layer, x):
        return F.relu(self.dense(layer, x))

    def score(self, tokens, heard, batch):
        """Logits of the cells and of the number of people, and the cells' features: [w, b, ...]."""
        places = geometry.places(batch.centres[:, None], batch.links[:, :, None])
        seen = self.dense("score-place", places)
        both = F.relu(seen + self.dense("score-token", tokens)[..., None, :])
        scored = self.relu("scored", both) * batch.there[..., None, None]
        walls = geometry.walls(batch.centres, batch.size[:, None]).expand(*tokens.shape[:2], -1, -1)
        joined = self.relu("joined", torch.cat([scored.sum(2) / batch.number[..., None, None], scored.amax(2), walls], -1))
        cells = self.dense("logit", joined)[..., 0]
        floor = (joined * cells.softmax(-1)[..., None]).sum(2)
        crowd = self.relu("crowd", torch.cat([heard, floor, joined.amax(2)], -1))
        return cells, self.dense("count", crowd), joined

    def look(self, tokens, batch, at, turns, signs):
        """
        The pose head's answer at places `at` [w, b, 2], the mean of those in some axes: turns [k, n or 1, 2, 2] and
        signs [k, n or 1]. Log scales are bounded.
        """
        n, links = at[..., 0].numel(), tokens.shape[2]
        where = batch.links.expand(at.shape[0], -1, -1, -1).reshape(n, links, 6)
        flat, there = at.reshape(n, 2), batch.there.reshape(n, links, 1)
        size = batch.size.expand(at.shape[0], -1, -1).reshape(n, 2)
        base = self.dense.part("view", tokens.reshape(n, links, TOKEN), 0) + self.dense.biases["view"]
        base = base + self.dense.part("view", geometry.places(flat[:, None], where), TOKEN)
        view = F.relu(base + self.dense.part("view", geometry.directions(flat, where, turns), TOKEN + PLACE))
        attention = self.dense("attention", view).masked_fill(there == 0, -1e9).softmax(2)
        mean = (view * there).sum(2) / batch.number.reshape(n, 1)
        walls = geometry.walls(flat, size).expand(len(turns), -1, -1)
        wide = self.relu("wide", torch.cat([(view * attention * there).sum(2), mean, walls], -1))
        out = self.dense("out", self.relu("deep", wide))
        return averaged(out, turns, signs).view(*at.shape[:2], OUT)

    def answers(self, batch):
        """The answers of each window, what the memory reads of it, and the links' tokens."""
        tokens = self.tokens(batch.features.float()) * batch.there[..., None]
        heard = torch.cat([tokens.sum(2) / batch.number[..., None], tokens.amax(2)], -1)
        cells, counts, joined = self.score(tokens, heard, batch)
        place = (cells.softmax(-1)[..., None] * batch.centres).sum(2)
        # No gradient flows through the place at which the pose head looks.
        alone = self.look(tokens, batch, place.detach(), self.turns[:, None], self.signs[:, None])
        answers = Answers(cells, counts, place, alone)
        return answers, reading(answers, joined, heard, batch.number), tokens


def averaged(out, turns, signs):
    """Answers in several axes [k, n, OUT], turned back into those of the room: their mean."""

    def back(vector):
        return torch.einsum("knji,knj->kni", turns.expand(-1, out.shape[1], -1, -1), vector)

    mirrored = (signs < 0)[..., None]
    scales = out[..., JOINT_SCALES].clamp(LEAST_LOG, MOST_LOG)
    body = out[..., BODY].unflatten(-1, (JOINTS, 3))
    parts = [
        back(out[..., HEADING]), back(out[..., OFFSET]), out[..., ROOT_SCALE].clamp(LEAST_LOG, MOST_LOG),
        torch.where(mirrored, other_side(scales[..., None])[..., 0], scales), out[..., POSTURES], out[..., MOVING],
        torch.where(mirrored[..., None], mirror_image(body), body).flatten(-2),
    ]
    return torch.cat(parts, -1).mean(0)


def other_side(joints):
    """Values [..., JOINTS, n] of the joints on the other side: after the nose, left and right alternate."""
    pairs = joints[..., 1:, :].unflatten(-2, (-1, 2)).flip(-2).flatten(-3, -2)
    return torch.cat([joints[..., :1, :], pairs], -2)


def mirror_image(joints):
    """Joints [..., JOINTS, 3] in the body's own axes, mirrored."""
    x, y, z = other_side(joints).unbind(-1)
    return torch.stack([x, -y, z], -1)


@dataclass
class Reading:
    """What the memory reads of each window, before its own layers."""

    cells: torch.Tensor  # [w, b, CELLS, JOINED + 1]
    room: torch.Tensor  # [w, b, ROOM_INPUTS]
    alone: torch.Tensor  # [w, b, OUT], as from answerRow: the place instead of an offset, probabilities


def reading(answers, joined, heard, number):
    """As readingInputs and answerRow in sights/reading.ts."""
    out = answers.alone
    likely = answers.cells.softmax(-1)[..., None]
    cells = INPUT_SCALE * torch.cat([joined, torch.log(likely + MIN_PROBABILITY)], -1)
    postures, moving = out[..., POSTURES].softmax(-1), out[..., MOVING].sigmoid()
    certainty = (out[..., HEADING].square().sum(-1, keepdim=True) + 1e-12).sqrt()
    room = torch.cat([
        INPUT_SCALE * heard, answers.counts.softmax(-1), out[..., ROOT_SCALE], postures, moving, certainty,
        INPUT_SCALE * (number[..., None] - 4),
    ], -1)
    root = answers.place + out[..., OFFSET]
    row = [out[..., HEADING], root, out[..., ROOT_SCALE], out[..., JOINT_SCALES], postures, moving, out[..., BODY]]
    return Reading(cells, room, torch.cat(row, -1))


@functools.cache
def changed(device):
    """1: the memory adds to this output of the window; 0: it replaces it."""
    values = torch.zeros(OUT)
    for part in (HEADING, JOINT_SCALES, BODY):
        values[part] = 1
    return values.to(device)


class MemoryNetwork:
    """Remembers: the floor's memory does not depend on the room's, so one follows the other over all windows."""

    def __init__(self, weights):
        self.dense = Dense(MEMORY_LAYERS, weights)
        self.changed = changed(weights.device)

    def answers(self, read, batch, memory):
        """The answers after each window, and the memories after the last."""
        alone, sides = read.alone, (batch.size / SIDE).expand(*read.alone.shape[:2], -1)
        room = F.relu(self.dense("read-room", read.room))
        cells = self.floor(F.relu(self.dense("read-cell", read.cells)), room, alone, sides, batch, memory[0])
        rows = cells.flatten(-2).transpose(-1, -2)
        logits = self.dense("logit", rows)
        likely = logits.softmax(-2)
        here, most, place = (rows * likely).sum(2), rows.amax(2), (likely * batch.centres).sum(2)
        root, middle = alone[..., OFFSET], batch.size / 2
        seen = [room, here, most, sides, alone[..., HEADING], (root - middle) / SIDE, (place - middle) / SIDE]
        rooms = self.room(torch.cat(seen, -1), batch.valid, memory[1])
        body = torch.cat([
            here, rooms, alone[..., BODY], INPUT_SCALE * alone[..., JOINT_SCALES], certainty(alone),
            (root - place) / SIDE, alone[..., POSTURES], alone[..., MOVING],
        ], -1)
        figure = self.dense("figure", F.relu(self.dense("body", body))) + alone * self.changed
        answers = Answers(logits[..., 0], self.dense("count", rooms), place, figure)
        return answers, (cells[-1].detach(), rooms[-1].detach())

    def floor(self, seen, room, alone, sides, batch, cells):
        """The floor's memories [w, b, CELL, GRID, GRID]: moved with who walks, and renewed from the neighbourhood."""
        down, along = self.moves(room, alone, batch.size)
        common = self.dense("from-room", torch.cat([room, alone[..., HEADING], sides], -1))[..., None, None]
        seen = seen.flatten(0, 1).transpose(1, 2).unflatten(-1, (GRID, GRID))
        kernels = {name: self.around(name) for name in ("cell-gates", "cell-news")}
        given = {
            name: F.conv2d(seen, kernel[:, :CELL], self.dense.biases[name], padding=1).unflatten(0, room.shape[:2])
            for name, kernel in kernels.items()
        }
        gates, news = given["cell-gates"] + common[:, :, :2 * CELL], given["cell-news"] + common[:, :, 2 * CELL:]
        of_gates, of_news = (kernels[name][:, CELL:].contiguous() for name in ("cell-gates", "cell-news"))
        after = []
        for y, x, gate, new, valid in in_turn(down, along, gates, news, batch.valid[..., None, None, None]):
            before = y @ cells @ x
            renewed, let_in = (gate + F.conv2d(before, of_gates, padding=1)).sigmoid().chunk(2, 1)
            new = (new + F.conv2d(let_in * before, of_news, padding=1)).tanh()
            cells = torch.where(valid, torch.lerp(before, new, renewed), cells)
            after.append(cells)
        return torch.stack(after)

    def moves(self, room, alone, size):
        """Matrices that move the floor's memory by the way walked since the window before."""
        length = certainty(alone)
        speed = F.softplus(self.dense("speed", torch.cat([room, length, length.square()], -1)))
        walked = speed * alone[..., HEADING] * (BEAT_S * GRID) / size
        x, y = (shifting(walked[..., axis, None, None, None]) for axis in (0, 1))
        return y, x.transpose(-1, -2)

    def around(self, layer):
        """A layer over a cell and its eight neighbours, row by row, as a convolution."""
        return self.dense.kernels[layer].view(3, 3, 2 * CELL, -1).permute(3, 2, 0, 1)

    def room(self, inputs, valid, room):
        """The room's memories [w, b, ROOM]."""
        gates, news = self.dense.part("room-gates", inputs, 0), self.dense.part("room-news", inputs, 0)
        gates, news = gates + self.dense.biases["room-gates"], news + self.dense.biases["room-news"]
        of_gates, of_news = (self.dense.kernels[name][ROOM_STEP:] for name in ("room-gates", "room-news"))
        after = []
        for gate, new, real in in_turn(gates, news, valid[..., None]):
            renewed, let_in = torch.addmm(gate, room, of_gates).sigmoid().chunk(2, 1)
            new = torch.addmm(new, let_in * room, of_news).tanh()
            room = torch.where(real, torch.lerp(room, new, renewed), room)
            after.append(room)
        return torch.stack(after)


def in_turn(*columns):
    """Window after window of each. Indexing would write all windows' gradients anew for each window."""
    return zip(*(column.unbind(0) for column in columns))


def certainty(alone):
    """Length of the heading's vector."""
    return (alone[..., HEADING].square().sum(-1, keepdim=True) + 1e-6).sqrt()


def shifting(cells):
    """Matrices [..., GRID, GRID] that shift values along an axis by this many cells; the edge's value is repeated."""
    each = torch.arange(GRID, device=cells.device)
    source = (each[:, None] - cells).clamp(0, GRID - 1)
    return (1 - (source - each).abs()).relu()


class Networks:
    """Both, from one array of weights."""

    def __init__(self, weights):
        self.pose = PoseNetwork(weights[:POSE_PARAMETERS])
        self.memory = MemoryNetwork(weights[POSE_PARAMETERS:])


def no_memory(rooms, device):
    """The memories of rooms that have seen nothing."""
    return torch.zeros(rooms, CELL, GRID, GRID, device=device), torch.zeros(rooms, ROOM, device=device)
