import { FAULTS_EXPLAINED } from '../../../operators/window/link-health.js';
import type { LinkFault } from '../../../pipeline/model/index.js';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import type { NodeStatus } from '../../../pipeline/runtime/status.js';

/** State of a link. Null: unknown. */
export interface LinkState {
  readonly id: string;
  readonly environment: string;
  /** Its name in the environment file. */
  readonly sender: string;
  /** Frames per second. */
  readonly rate: number | null;
  /** Share of the sender's frames that were lost, 0 to 1. */
  readonly loss: number | null;
  /** dBm. */
  readonly rssi: number | null;
  readonly noise: number | null;
  readonly snrDb: number | null;
  /** ISO 8601, event time. */
  readonly last: string | null;
  /** The reason why results are computed without it; null: it is in use. */
  readonly leftOut: string | null;
}

/** A sender whose frames belong to no link. */
export interface UnknownSender {
  readonly node: string;
  readonly sender: string;
  readonly frames: number;
  readonly last: string;
  /** The line by which a link of the environment file would accept its frames. */
  readonly line: string;
}

type Details = Readonly<Record<string, unknown>>;

/** All links of a topology, as reported by its nodes. */
export function linkStates(
  topology: Pick<CheckedTopology, 'environments'>,
  status: readonly NodeStatus[],
): readonly LinkState[] {
  const heard = status.map(({ details }) => part(details, 'heard'));
  const told = status.map(({ details }) => part(details, 'links'));
  return topology.environments.flatMap((environment) =>
    environment.links.map(({ id, sender }) => {
      const own = first(heard, id);
      const counted = told.map((links) => part(links, id));
      const quality = counted.find((one) => 'usable' in one);
      return {
        id,
        environment: environment.id,
        sender,
        rate: number(own['rate']),
        loss: number(first(told, id, 'loss')['loss']),
        rssi: number(own['rssi']),
        noise: number(own['noise']),
        snrDb: number(quality?.['snr_db']),
        last: text(own['last']),
        leftOut: whyLeftOut(sender, own, quality),
      };
    }),
  );
}

function whyLeftOut(sender: string, heard: Details, quality: Details | undefined): string | null {
  if (text(heard['last']) === null) return `no frame of its sender, ${sender}, has arrived`;
  if (heard['rate'] === 0) return 'it is silent: its newest frame is five seconds older than those of others';
  const fault = text(quality?.['fault']);
  return fault === null ? null : FAULTS_EXPLAINED[fault as LinkFault];
}

/** At most as many as the sources list. */
export const unknownSenders = (status: readonly NodeStatus[]): readonly UnknownSender[] =>
  status.flatMap(({ id: node, details }) => {
    const { listed } = part(details, 'unknown_senders');
    return (Array.isArray(listed) ? (listed as readonly Details[]) : []).map((one) => ({
      node,
      sender: text(one['sender']) ?? '',
      frames: number(one['frames']) ?? 0,
      last: text(one['last']) ?? '',
      line: text(one['line']) ?? '',
    }));
  });

/** The first node that has details of a link, or the given field of them. */
const first = (all: readonly Details[], link: string, field?: string): Details =>
  all
    .map((links) => part(links, link))
    .find((one) => (field === undefined ? Object.keys(one).length > 0 : field in one)) ?? {};

const part = (details: Details, name: string): Details => {
  const value = Object.hasOwn(details, name) ? details[name] : undefined;
  return typeof value === 'object' && value !== null ? (value as Details) : {};
};

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
