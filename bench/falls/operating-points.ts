import type { SimulatedImpact, SimulatedRoom } from './scenes.js';

/** An operating point in rooms excluded from training. */
export interface Operating {
  /** False alarms per hour that were allowed. */
  readonly rate: number;
  readonly threshold: number;
  readonly found: number;
  readonly falls: number;
  readonly falseAnHour: number;
  readonly hours: number;
}

/** Operating points with so many false alarms per hour of daily life, with and without falls. */
export function operatingPoints(
  rooms: readonly SimulatedRoom[],
  score: (impact: SimulatedImpact) => number,
  rates: readonly number[],
): readonly Operating[] {
  const scored = rooms.map((room) => ({
    room,
    scores: room.examples.map((impact) => ({ impact, score: score(impact) })),
  }));
  return rates.map((rate) => operatingAt(scored, rate));
}

/** The threshold of the point with this rate. */
export const thresholdAt = (points: readonly Operating[], rate: number): number =>
  points.find((point) => point.rate === rate)!.threshold;

interface ScoredRoom {
  readonly room: SimulatedRoom;
  readonly scores: readonly { readonly impact: SimulatedImpact; readonly score: number }[];
}

/** The threshold with `rate` false alarms per hour, and the falls that it finds. */
function operatingAt(rooms: readonly ScoredRoom[], rate: number): Operating {
  const hours = rooms.reduce((sum, { room }) => sum + room.seconds, 0) / 3600;
  const others = rooms
    .flatMap(({ scores }) => scores.filter(({ impact }) => impact.fall < 0 && !impact.unclear))
    .map(({ score }) => score)
    .sort((a, b) => b - a);
  const allowed = Math.floor(rate * hours);
  const threshold = others[allowed] ?? -Infinity;
  const found = rooms.map(
    ({ scores }) =>
      new Set(
        scores
          .filter(({ impact, score }) => impact.fall >= 0 && score > threshold)
          .map(({ impact }) => impact.fall),
      ).size,
  );
  return {
    rate,
    threshold,
    hours,
    falseAnHour: allowed / hours,
    found: found.reduce((a, b) => a + b, 0),
    falls: rooms.reduce((sum, { room }) => sum + room.falls.length, 0),
  };
}
