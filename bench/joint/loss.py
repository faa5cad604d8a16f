"""The loss of answers against the ground truth, as bench/memory/memory-loss.ts has it."""

import torch
import torch.nn.functional as F

from shapes import *

# Weights of the terms, relative to the distance of the place.
FLOOR, CELL_TERM, COUNT_TERM, POSTURE_TERM, MOVING_TERM = 0.3, 0.5, 0.5, 0.5, 0.2
SCALE_TERM, JOINT_SCALE_TERM, JOINT_TERM, HEADING_TERM = 0.1, 0.1, 2.0, 0.5
# Of upright, sitting and lying; and of somebody who keeps still (metres per second), and others.
POSTURE_TERMS = (1.0, 1.6, 1.1)
STILL, STILL_TERM, OTHER_TERM = 0.1, 1.0, 0.5
PRESENT_TERM = 3.0
HEAP = 0.4
WALKING = 0.2


def distance(difference):
    """Length over the last axis, smooth at 0."""
    return (difference.square().sum(-1) + 1e-4).sqrt()


def one_hot(numbers, count):
    """That of PyTorch may wait for the GPU, which a recorded graph must not."""
    return (numbers[..., None] == torch.arange(count, device=numbers.device)).float()


def laplace(logs, errors):
    """Mean of log s + e / s, with the errors as constants."""
    bounded = logs.clamp(LEAST_LOG, MOST_LOG)
    return (bounded + errors.detach() * torch.exp(-bounded)).mean(-1)


def answer_loss(alone, place, truth, floor=FLOOR):
    """Loss of the answers for one person [..., OUT], offsets from a place, against the truth [..., TOLD]."""
    true_place = truth[..., TRUE_PLACE]
    error = distance(place + alone[..., OFFSET] - true_place)
    joints = (alone[..., BODY] - truth[..., TRUE_JOINTS]).unflatten(-1, (JOINTS, 3))
    joint_errors = distance(joints)
    heading = (alone[..., HEADING] - truth[..., TRUE_HEADING]).square().sum(-1)
    speed, real = truth[..., TRUE_SPEED], one_hot(truth[..., TRUE_POSTURE], 3)
    wanted = sum(term * real[..., posture] for posture, term in enumerate(POSTURE_TERMS))
    wanted = wanted * (OTHER_TERM + STILL_TERM * (speed < STILL).float())
    posture = -(real * alone[..., POSTURES].log_softmax(-1)).sum(-1)
    walks = (speed > WALKING).float()
    moving = F.binary_cross_entropy_with_logits(alone[..., MOVING][..., 0], walks, reduction="none")
    return (
        error + floor * distance(place - true_place) + JOINT_TERM * joint_errors.mean(-1) + HEADING_TERM * heading
        + POSTURE_TERM * posture * wanted + MOVING_TERM * moving
        + SCALE_TERM * laplace(alone[..., ROOT_SCALE], error[..., None])
        + JOINT_SCALE_TERM * laplace(alone[..., JOINT_SCALES], joint_errors)
    )


def heaps(batch):
    """Everybody present, each spread over the cells around them: [w, b, CELLS]."""
    away = (batch.centres[:, None] - batch.truth[..., None, TRUE_PLACE]).square().sum(-1)
    heap = torch.exp(-away / (2 * HEAP**2)) + 1e-9
    heap = heap / heap.sum(-1, keepdim=True)
    number = batch.people.clamp(max=PEOPLE)
    there = torch.arange(PEOPLE, device=heap.device) < number[..., None]
    return (heap * there[..., None]).sum(2) / number.clamp(min=1)[..., None]


def window_losses(answers, batch, floors):
    """Loss of each window: [w, b]. floors: as from heaps."""
    some = (batch.people > 0).float()
    cells = -(floors * answers.cells.log_softmax(-1)).sum(-1)
    counts = answers.counts.log_softmax(-1).gather(-1, batch.people.clamp(max=COUNTS - 1)[..., None])[..., 0]
    one = (batch.people == 1).float()
    return (
        one * answer_loss(answers.alone, answers.place, batch.truth[:, :, 0]) + CELL_TERM * some * cells
        - COUNT_TERM * (1 + (PRESENT_TERM - 1) * some) * counts
    )


def mean_of(losses, weights):
    """Mean over the windows that count."""
    return (losses * weights).sum() / weights.sum().clamp(min=1)
