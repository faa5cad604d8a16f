"""A receiver as an ESP32 reports it: noise, gain control, 8 bits, phases, loss and late packets. Times in seconds, levels in dB."""

import numpy as np

from foreign.channel import SPACING_HZ, TONES

RATE_HZ = 50
TRANSMIT_DBM = 15
LOSS = 0.01
# Root mean square of the numbers of a frame that the gain control aims at, its steps, and the error at which it takes one.
TARGET, STEP_DB, HYSTERESIS_DB = 20, 3, 2.5
BINS = 64
RECORD = np.dtype([
    ("magic", "<u4"), ("node", "u1"), ("antennas", "u1"), ("bins", "<u2"), ("mhz", "<u4"), ("sequence", "<u4"),
    ("rssi", "i1"), ("noise", "i1"), ("kind", "u1"), ("flags", "u1"), ("values", "i1", (BINS, 2))])


class Receiver:
    """
    What is drawn once for a link: an SNR of 15 to 35 dB over the empty room's level, the offset of its sampling, and when
    in each period its transmitter sends.
    """

    def __init__(self, node, empty, rng):
        self.node = node
        self.level = np.mean(np.abs(empty) ** 2)
        self.noise = self.level * 10 ** (-rng.uniform(15, 35) / 10)
        self.offset = rng.uniform(0, 100e-9)
        self.phase = rng.uniform(0, 1 / RATE_HZ)

    def times(self, seconds, rng):
        """When packets arrive, and their numbers: 1 % is lost, the others wait for the channel, 0.5 ms on average."""
        sent = np.arange(int(seconds * RATE_HZ) - 1)
        arrived = sent / RATE_HZ + self.phase + np.minimum(rng.exponential(0.0005, len(sent)), 0.015)
        kept = rng.random(len(sent)) >= LOSS
        return arrived[kept], sent[kept]

    def records(self, response, numbers, rng):
        """ADR-018 packets of a response [T, 52]."""
        count = len(response)
        noise = rng.normal(size=(2, *response.shape)) * np.sqrt(self.noise / 2)
        # Phase of the oscillator, and the slope of a sampling time that wanders by 5 ns and at times by a quarter of a sample.
        late = self.offset + rng.normal(0, 5e-9, count) + 12.5e-9 * rng.choice([-1, 0, 1], count, p=[0.05, 0.9, 0.05])
        phase = rng.uniform(0, 2 * np.pi, count)[:, None] - 2 * np.pi * SPACING_HZ * np.outer(late, TONES)
        heard = (response + noise[0] + 1j * noise[1]) * np.exp(1j * phase)
        power = np.mean(np.abs(heard) ** 2, axis=1)
        gains = gain_control(10 * np.log10(power) + rng.normal(0, 0.5, count))
        scaled = np.rint(heard * 10 ** (gains / 20)[:, None])
        numbers_out = np.clip(scaled.real, -127, 127) + 1j * np.clip(scaled.imag, -127, 127)
        packets = np.zeros(count, RECORD)
        packets["magic"], packets["node"], packets["antennas"], packets["bins"] = 0xC5110001, self.node, 1, BINS
        packets["mhz"], packets["sequence"] = 2437, numbers
        packets["rssi"] = np.rint(TRANSMIT_DBM + 10 * np.log10(power))
        packets["noise"] = np.rint(TRANSMIT_DBM + 10 * np.log10(self.noise))
        values = np.zeros((count, BINS), complex)
        values[:, TONES % BINS] = numbers_out
        # ESP-IDF writes the imaginary part first.
        packets["values"] = np.stack([values.imag, values.real], axis=-1)
        return packets


def gain_control(levels):
    """Gain in steps, dB, which follows the level of each packet with hysteresis."""
    aims = 20 * np.log10(TARGET) - levels
    gains, gain = [], STEP_DB * round(aims[0] / STEP_DB)
    for aim in aims:
        if abs(aim - gain) > HYSTERESIS_DB:
            gain = STEP_DB * round(aim / STEP_DB)
        gains.append(gain)
    return np.array(gains, float)
