"""
Trains both networks of infer-pose together, from the weights of a model, on the rooms that export.ts writes, also while
it is still writing them. How to run it: README.md beside this file.
"""

import argparse
import json
import math
import os
import time

import numpy as np
import torch

from loss import answer_loss, heaps, mean_of, window_losses
from networks import Networks, no_memory
from rooms import Augmentation, Batch, Course, Rooms
from shapes import *

# A course starts at one of its first windows; a stretch with fewer windows than this is left out.
LATEST_START, FEWEST = 50, 20
# Standard deviation of the places near one of several people at which the pose head learns to look, metres.
NEAR = 0.3
WARM_UP = 60
# Shares of the first weights in the result that are tried: the mean of old and new weights often does better in rooms of
# either kind than both (Wortsman et al., Robust fine-tuning of zero-shot models, 2022).
KEPT = (0.2, 0.3, 0.4, 0.5)
# Rooms with as many links or fewer are a batch of their own where the processor computes, which takes half of the time.
FEW_LINKS = 4
# New files read between two batches, so that the GPU does not wait long.
FILES_AT_ONCE = 24


def losses_of(weights, batch, memory, near=None):
    """
    Mean losses of the memory's answers, of each window's own, and of poses near people; and the memories at the end.
    near: a person of each window, the place to look at, and the axes: [w, b], [w, b, 2], [w, b].
    """
    networks, valid, floors = Networks(weights), batch.valid.float(), heaps(batch)
    alone, read, tokens = networks.pose.answers(batch)
    recalled, after = networks.memory.answers(read, batch, memory)
    losses = {
        "memory": mean_of(window_losses(recalled, batch, floors), valid),
        "alone": mean_of(window_losses(alone, batch, floors), valid),
    }
    if near is not None:
        person, at, axis = near
        truth = batch.truth.gather(2, person[..., None, None].expand(-1, -1, 1, TOLD))[:, :, 0]
        turns, signs = networks.pose.turns[axis.flatten()][None], networks.pose.signs[axis.flatten()][None]
        pose = networks.pose.look(tokens, batch, at, turns, signs)
        some = valid * (batch.people > 0)
        losses["near"] = mean_of(answer_loss(pose, at, truth, floor=0), some)
    return losses, recalled, after


def draw_near(batch):
    """A person of each window, a place near them, and axes, at random."""
    number = batch.people.clamp(1, PEOPLE)
    person = (torch.rand(number.shape, device=number.device) * number).long().clamp(max=PEOPLE - 1)
    place = batch.truth[..., TRUE_PLACE].gather(2, person[..., None, None].expand(-1, -1, 1, 2))[:, :, 0]
    return person, place + NEAR * torch.randn_like(place), torch.randint(8, number.shape, device=number.device)


class Adam:
    """As training/optimizer.ts: the gradient's norm is clipped, weights decay, and their mean over steps is kept."""

    def __init__(self, weights, rates, decay):
        self.weights = weights.clone().requires_grad_()
        self.average, self.rates, self.decay = weights.clone(), rates, decay
        self.first, self.second = torch.zeros_like(weights), torch.zeros_like(weights)
        self.steps = torch.zeros((), device=weights.device)

    def state(self):
        """All that a step changes."""
        return [self.weights.data, self.average, self.first, self.second, self.steps]

    @torch.no_grad()
    def step(self, gradient, rate, clip=1.0, beta1=0.9, beta2=0.999, keep=0.998):
        """One step; a gradient that is not finite changes nothing. rate: a tensor, a share of the peak rates."""
        norm = torch.linalg.vector_norm(gradient)
        fine = torch.isfinite(norm)
        gradient = torch.where(fine, gradient * (clip / norm.clamp(min=clip)), torch.zeros_like(gradient))
        share = fine.float()
        self.steps += share
        t = self.steps.clamp(min=1)
        self.first.lerp_(gradient, (1 - beta1) * share)
        self.second.lerp_(gradient.square(), (1 - beta2) * share)
        size = share * rate * self.rates
        change = self.first / (1 - beta1**t) / ((self.second / (1 - beta2**t)).sqrt() + 1e-8)
        self.weights.data.sub_(size * (change + self.decay * self.weights.data))
        kept = torch.minimum(torch.full_like(t, keep), (1 + t) / (10 + t))
        self.average.lerp_(self.weights.data, (1 - kept) * share)
        return norm


class Trainer:
    """Steps on stretches of a fixed shape; on a GPU one recorded graph, since thousands of small kernels would wait."""

    def __init__(self, adam, terms, graphs):
        self.adam, self.terms, self.graphs = adam, terms, graphs
        self.graph, self.inputs, self.outputs = None, None, None

    def step(self, batch, memory, rate):
        """One step; returns the losses and the memories after."""
        device = batch.features.device
        inputs = [*vars(batch).values(), *memory, *draw_near(batch), torch.tensor(rate, device=device)]
        if not self.graphs:
            return self.run(inputs)
        if self.graph is None and not self.recorded(inputs):
            return self.run(inputs)
        for to, value in zip(self.inputs, inputs):
            to.copy_(value)
        self.graph.replay()
        return [value.clone() for value in self.outputs[0]], tuple(value.clone() for value in self.outputs[1])

    def run(self, inputs):
        """The step itself. inputs: those of a batch, two memories, three of draw_near, and the rate."""
        *columns, cells, room, person, at, axis, rate = inputs
        losses, _, after = losses_of(self.adam.weights, Batch(*columns), (cells, room), (person, at, axis))
        total = sum(self.terms[name] * loss for name, loss in losses.items())
        (gradient,) = torch.autograd.grad(total, self.adam.weights)
        norm = self.adam.step(gradient, rate)
        return [*(loss.detach() for loss in losses.values()), norm], after

    def recorded(self, inputs):
        """Whether the step could be recorded: if not, says why, and steps are taken kernel by kernel from now on."""
        try:
            self.record(inputs)
        except RuntimeError as error:
            print(f"no graph: {error}", flush=True)
            self.graphs = False
        return self.graphs

    def record(self, inputs):
        """Records the step as a graph; the steps that this takes are undone."""
        before = [value.clone() for value in self.adam.state()]
        self.inputs = [value.clone().contiguous() for value in inputs]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.run(self.inputs)
        torch.cuda.current_stream().wait_stream(side)
        for value, old in zip(self.adam.state(), before):
            value.copy_(old)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.outputs = self.run(self.inputs)
        self.graph = graph


class Watch:
    """Losses in validation rooms, in groups by carrier, without augmentation and from an empty memory."""

    def __init__(self, rooms, windows, batch=32):
        self.rooms, self.windows = rooms, windows
        groups = {}
        for room, centre in enumerate(rooms.centres):
            groups.setdefault("5 GHz" if centre > 4000 else "2.4 GHz", []).append(room)
        self.batches = [(name, some[at:at + batch]) for name, some in groups.items() for at in range(0, len(some), batch)]

    @torch.no_grad()
    def look(self, weights):
        """
        Figures by group: mean losses, the place's error of a person alone (metres), by the memory and by the window,
        and the share of windows with the right number of people.
        """
        sums = {}
        for name, chosen in self.batches:
            course, memory = Course(self.rooms, chosen, packed=True), no_memory(len(chosen), weights.device)
            for start in range(0, max(self.rooms.windows[room] for room in chosen), self.windows):
                batch = course.stretch(start, self.windows)
                figures, memory = figures_of(weights, batch, memory)
                sums[name] = sums.get(name, 0) + figures
        return {name: dict(zip(("memory", "alone", "place", "count"), summary(some))) for name, some in sums.items()}


def figures_of(weights, batch, memory):
    """Sums for Watch, and the memories."""
    losses, recalled, after = losses_of(weights, batch, memory)
    valid = batch.valid.float()
    one = valid * (batch.people == 1)
    error = torch.linalg.vector_norm(
        recalled.place + recalled.alone[..., OFFSET] - batch.truth[:, :, 0, TRUE_PLACE], dim=-1)
    right = (recalled.counts.argmax(-1) == batch.people.clamp(max=COUNTS - 1)).float()
    sums = [losses["memory"] * valid.sum(), losses["alone"] * valid.sum(), (error * one).sum(), (right * valid).sum()]
    return torch.stack([*sums, valid.sum(), one.sum()]), after


def summary(sums):
    """Means from the sums of figures_of."""
    memory, alone, place, right, windows, ones = sums.tolist()
    return [memory / windows, alone / windows, place / max(1, ones), right / windows]


class Best:
    """The averaged weights of the best validation, those of the start included."""

    def __init__(self, watch, terms, folder, began):
        self.watch, self.terms, self.folder, self.began = watch, terms, folder, began
        self.least, self.curve = math.inf, []

    def look(self, steps, weights, kept=0):
        """Validates weights, and writes them if they are the best. kept: the share of the first weights in them."""
        groups = self.watch.look(weights)
        loss = sum(self.terms[name] * group[name] for group in groups.values() for name in ("memory", "alone"))
        loss /= len(groups)
        best = loss < self.least
        rounded = {name: {key: round(value, 4) for key, value in group.items()} for name, group in groups.items()}
        self.curve.append({"step": steps, "kept": kept, "loss": round(loss, 4), "best": best, **rounded})
        print(f"{time.monotonic() - self.began:.0f} s, validation:", json.dumps(self.curve[-1]), flush=True)
        if best:
            self.least = loss
            save_weights(self.folder, weights.cpu().numpy())


def wait_for(rooms, count, until):
    """Waits until the simulation has written some rooms."""
    while len(rooms) < count and time.monotonic() < until:
        rooms.refresh()
        time.sleep(0.2)
    if len(rooms) == 0:
        raise SystemExit(f"{rooms.folder} has no rooms")


def draw(rooms, count, alike=False):
    """Rooms at random, each at most once while there are enough. alike: all with few links, or all with many."""
    some = np.arange(len(rooms))
    if alike:
        few = np.array(rooms.links) <= FEW_LINKS
        some = some[few == few[np.random.randint(len(rooms))]]
    return np.random.choice(some, count, replace=len(some) < count).tolist()


def train(options, device):
    """Trains until the time is over, validates, and writes the best weights and how they were trained."""
    began = time.monotonic()
    until, on_cpu = began + options.seconds, device.type == "cpu"
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)
    weights = torch.from_numpy(load_weights(options.start)).to(device)
    rates = torch.full_like(weights, options.pose_rate)
    rates[POSE_PARAMETERS:] = options.memory_rate
    terms = {"memory": 1.0, "alone": options.alone, "near": options.near}
    adam = Adam(weights, rates, options.decay)
    trainer = Trainer(adam, terms, graphs=device.type == "cuda" and not options.eager)
    watched = Rooms(options.watched, device, gigabytes=2 if device.type == "cuda" else 0.5, most=200)
    watched.refresh()
    best = Best(Watch(watched, options.windows), terms, options.out, began)
    best.look(0, weights, kept=1)
    rooms = Rooms(options.rooms, device, options.gigabytes)
    wait_for(rooms, options.at_least, until)
    first, steps, said, validated = time.monotonic(), 0, [], time.monotonic()
    while time.monotonic() < until:
        rooms.refresh(FILES_AT_ONCE)
        chosen = draw(rooms, options.batch, alike=on_cpu)
        course, memory = Course(rooms, chosen, Augmentation(), packed=on_cpu), no_memory(options.batch, device)
        start, end = np.random.randint(LATEST_START), max(rooms.windows[room] for room in chosen)
        while start + FEWEST <= end:
            progress = min(1, (time.monotonic() - first) / (until - first))
            rate = min(1, (steps + 1) / WARM_UP) * 0.5 * (1 + math.cos(math.pi * progress))
            losses, memory = trainer.step(course.stretch(start, options.windows), memory, rate)
            said.append(torch.stack(losses))
            steps, start = steps + 1, start + options.windows
            if steps % options.every == 0:
                tell(steps, said, rooms, began)
                said = []
        if time.monotonic() - validated > options.validate:
            best.look(steps, adam.average)
            validated = time.monotonic()
    best.look(steps, adam.average)
    first_weights = torch.from_numpy(load_weights(options.start)).to(device)
    for kept in KEPT:
        best.look(steps, kept * first_weights + (1 - kept) * adam.average, kept)
    write_training(options, rooms, steps, best, time.monotonic() - began)


def tell(steps, said, rooms, began):
    """A line of progress."""
    means = torch.stack(said).mean(0).tolist()
    text = ", ".join(f"{name} {value:.3f}" for name, value in zip(("memory", "alone", "near", "gradient"), means))
    print(f"{time.monotonic() - began:.0f} s, step {steps}, {len(rooms)} rooms: {text}", flush=True)


def write_training(options, rooms, steps, best, seconds):
    """training.json, for the manifest."""
    training = {
        "seed": options.seed, "rooms": len(rooms), "steps": steps, "seconds": round(seconds),
        "batch": f"{options.batch} rooms of {options.windows} windows",
        "peak_learning_rates": {"pose": options.pose_rate, "memory": options.memory_rate}, "decay": options.decay,
        "terms": {"memory": 1, "alone": options.alone, "near": options.near}, "validation": best.curve,
        "with": f"PyTorch {torch.__version__} on {device_name()}, both networks together",
    }
    with open(os.path.join(options.out, "training.json"), "w", encoding="utf8") as file:
        json.dump(training, file, indent=2)


def device_name():
    """What computes."""
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU"


def parsed():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", help="folder of the training rooms")
    parser.add_argument("watched", help="folder of the validation rooms")
    parser.add_argument("out", help="folder for weights.bin, memory.bin and training.json")
    parser.add_argument("--start", default="operators/infer-pose/weights/general", help="folder of the model to start from")
    parser.add_argument("--seconds", type=float, default=150, help="time for training, with the wait for rooms")
    parser.add_argument("--pose-rate", type=float, default=3e-4)
    parser.add_argument("--memory-rate", type=float, default=5e-4)
    parser.add_argument("--decay", type=float, default=0.01)
    parser.add_argument("--alone", type=float, default=0.3, help="weight of the loss of each window's own answer")
    parser.add_argument("--near", type=float, default=0.1, help="weight of the loss of poses near one of the people")
    parser.add_argument("--batch", type=int, default=32, help="rooms")
    parser.add_argument("--windows", type=int, default=60, help="windows through which a gradient flows")
    parser.add_argument("--at-least", type=int, default=64, help="rooms before the first step")
    parser.add_argument("--validate", type=float, default=40, help="seconds from one validation to the next")
    parser.add_argument("--every", type=int, default=50, help="steps from one line of progress to the next")
    parser.add_argument("--gigabytes", type=float, default=24, help="memory for the rooms' features")
    parser.add_argument("--eager", action="store_true", help="no recorded graph")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    """Trains on the GPU if there is one."""
    torch.set_float32_matmul_precision("high")
    if torch.cuda.is_available():
        torch.set_num_threads(1)
    train(parsed(), torch.device("cuda" if torch.cuda.is_available() else "cpu"))


if __name__ == "__main__":
    main()
