"""Geometric inputs of the pose network, as inputs/geometry.ts computes them, for many rooms at once."""

import functools
import math

import torch

from shapes import CELLS, GRID

HEIGHT = 1.0
NEAREST = 0.2


def centres(size):
    """Middles of the cells, x running fastest: [rooms, CELLS, 2]."""
    cell = torch.arange(CELLS, device=size.device)
    at = torch.stack([cell % GRID, cell // GRID], 1) + 0.5
    return at / GRID * size[:, None]


def places(at, links):
    """Floor positions [..., 2] relative to links [..., 6]: [..., 13]."""
    tx, rx = links[..., :3], links[..., 3:]
    to_tx, to_rx = reach(at, tx), reach(at, rx)
    length = torch.linalg.vector_norm(rx - tx, dim=-1).clamp(min=NEAREST)
    line, from_tx = (rx - tx)[..., :2], at - tx[..., :2]
    along = (from_tx * line).sum(-1) / (line.square().sum(-1) + 1e-6)
    aside = torch.linalg.vector_norm(from_tx - along.clamp(0, 1)[..., None] * line, dim=-1)
    excess = (to_tx + to_rx - length).clamp(min=0)
    columns = (
        to_tx / 3, to_rx / 3, excess / 2, torch.log(length / (to_tx * to_rx)), aside / 2, along.clamp(-0.5, 1.5),
        torch.exp(-aside.square() / 0.1), torch.exp(-aside.square() / 0.5), length / 4, tx[..., 2] - 1, rx[..., 2] - 1,
        torch.exp(-excess / 0.1), torch.exp(-excess / 0.5),
    )
    return torch.stack(torch.broadcast_tensors(*columns), -1)


def reach(at, antenna):
    """Distance of an antenna from the middle of a body at a floor position."""
    flat = (at - antenna[..., :2]).square().sum(-1)
    return (flat + (HEIGHT - antenna[..., 2]).square()).sqrt().clamp(min=NEAREST)


def walls(at, size):
    """Distances [..., 4] of positions to the nearer walls, and the room's sides, the shorter pair first."""
    flip = size[..., :1] > size[..., 1:]
    near = torch.minimum(at, size - at) / 2
    near = torch.where(flip, near.flip(-1), near)
    sides = torch.stack([size.amin(-1), size.amax(-1)], -1) / 4 - 1
    return torch.cat(torch.broadcast_tensors(near, sides), -1)


@functools.cache
def axes(device):
    """The eight axes of the pose head, matrices that turn a vector of the room into them, and whether they mirror it."""
    turns, signs = [], []
    for quarter in range(4):
        cos, sin = round(math.cos(quarter * math.pi / 2)), round(math.sin(quarter * math.pi / 2))
        for sign in (1, -1):
            turns.append([[cos, -sin * sign], [sin, cos * sign]])
            signs.append(sign)
    return torch.tensor(turns, dtype=torch.float32, device=device), torch.tensor(signs, device=device)


def directions(at, links, turns):
    """Unit vectors to both antennas in other axes, and their sum. at [n, 2], links [n, l, 6], turns [k, n or 1, 2, 2]."""
    out = []
    for antenna in (links[..., :3], links[..., 3:]):
        flat = torch.einsum("knij,nlj->knli", turns.expand(-1, at.shape[0], -1, -1), antenna[..., :2] - at[:, None])
        up = (antenna[..., 2:] - HEIGHT).expand(turns.shape[0], -1, -1, -1)
        vector = torch.cat([flat, up], -1)
        out.append(vector / torch.linalg.vector_norm(vector, dim=-1, keepdim=True).clamp(min=NEAREST))
    return torch.cat([*out, out[0] + out[1]], -1)
