"""Simulates walkers and empty rooms by other physics than csiflow's simulator. How to run it: README.md beside this file."""

import argparse
import json
import os
import struct
import time
import zlib

import numpy as np

from foreign.channel import Body, Link, Room
from foreign.receiver import Receiver
from foreign.walker import Walker

# Folder of each variant, and its diffuse paths per link.
VARIANTS = {"plain": 0, "diffuse": 30}
CALIBRATION_S = 60
# Microseconds since 1970: the evening before (2025-12-31T20:00Z), and 2026-01-01T00:00Z.
EVENING_US, START_US = 1_767_211_200_000_000, 1_767_225_600_000_000
TRUTH_HZ = 50
# Parts of a scene with random numbers of their own.
ROOM, WALKER, LINK, RECEIVER, PACKETS = range(5)


def capture(path, start, arrivals):
    """Writes packets of all links in the order of their times: docs/capture-format.md. Arrivals: (seconds, bytes)."""
    head = json.dumps({"format": "adr018", "origin": "simulated", "note": "bench/referee/scenes.py"}).encode()
    head = b"CSIFLOWC" + struct.pack("<HHI", 1, 0, len(head)) + head
    with open(path, "wb") as file:
        file.write(head + struct.pack("<I", zlib.crc32(head)))
        for seconds, packet in sorted(arrivals, key=lambda arrival: arrival[0]):
            record = struct.pack("<IB3xd", len(packet), 0, start + round(seconds * 1e6)) + packet
            file.write(record + struct.pack("<I", zlib.crc32(record)))


def truth(path, walker, room):
    """Writes where the person and their joints are, a line of JSON for each time."""
    times = np.arange(int(walker.seconds * TRUTH_HZ)) / TRUTH_HZ
    joints, places, headings, inside = walker.at(times)
    with open(path, "w", encoding="utf8") as file:
        for index, seconds in enumerate(times):
            line = {"time": START_US + round(seconds * 1e6), "environment": room, "person": 0,
                    "present": bool(inside[index] >= 0.5), "activity": "walk", "posture": "upright"}
            if line["present"]:
                heading = float(np.remainder(headings[index] + np.pi, 2 * np.pi) - np.pi)
                line |= {"root": places[index].round(3).tolist(), "heading": round(heading, 4),
                         "keypoints": joints[index].round(3).tolist()}
            file.write(json.dumps(line) + "\n")


def heard(link, receiver, seconds, rng, walker=None):
    """Packets of a link with their times."""
    times, numbers = receiver.times(seconds, rng)
    response = np.tile(link.empty(), (len(times), 1))
    if walker is not None:
        there = walker.at(times)[3] > 0
        response[there] = link.respond(Body(walker, times[there]))
    return zip(times, (packet.tobytes() for packet in receiver.records(response, numbers, rng)))


def simulate(environment, seed, folder):
    """Writes the captures of a room: empty for a minute, and with a walker; for each variant."""
    size = [environment["size"][axis] for axis in "xyz"]

    def random(*parts):
        return np.random.default_rng([seed, *parts])

    room, walker = Room(size, random(ROOM)), Walker(size, random(WALKER))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "environment.json"), "w", encoding="utf8") as file:
        json.dump(environment, file, indent=1)
    truth(os.path.join(folder, "truth.jsonl"), walker, environment["id"])
    for variant, tail in VARIANTS.items():
        empty, walked = [], []
        for index, described in enumerate(environment["links"]):
            ends = (np.array(described[end]) for end in ("transmitter", "receiver"))
            link = Link(room, *ends, tail, random(LINK, index))
            receiver = Receiver(index + 1, link.empty(), random(RECEIVER, index))
            empty += heard(link, receiver, CALIBRATION_S, random(PACKETS, index, 0))
            walked += heard(link, receiver, walker.seconds, random(PACKETS, index, 1), walker)
        os.makedirs(os.path.join(folder, variant), exist_ok=True)
        capture(os.path.join(folder, variant, "empty.csi"), EVENING_US, empty)
        capture(os.path.join(folder, variant, "walk.csi"), START_US, walked)
    return room, walker


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", help="JSON of rooms.js")
    parser.add_argument("folder", help="a folder for each room is written here")
    options = parser.parse_args()
    with open(options.rooms, encoding="utf8") as file:
        rooms = json.load(file)
    for environment, seed in ((one["environment"], one["seed"]) for one in rooms):
        began = time.process_time()
        room, walker = simulate(environment, seed, os.path.join(options.folder, environment["id"]))
        print(f"{environment['id']}: {', '.join(room.materials)}; {walker.height:.2f} m, {walker.seconds:.0f} s; "
              f"{time.process_time() - began:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
