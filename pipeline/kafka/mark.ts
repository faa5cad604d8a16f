import type { Admin } from 'kafkajs';
import { groupOffsets } from './offsets.js';

/** What csiflow stores with the group's offset of a partition. */
export interface Mark {
  /** Whose offsets they are. */
  readonly topology: string;
  /** The state that they were committed from, where the state lies with the process. */
  readonly owner?: string;
  /** Of the process that committed it, where the topology is scaled out. */
  readonly holder?: {
    readonly id: string;
    readonly address?: string;
    /** See {@link RoomsRead}. */
    readonly rooms: string;
  };
}

/** Undefined where there is none, or another program has written it. */
export function markOf(metadata: string): Mark | undefined {
  try {
    const found: unknown = JSON.parse(metadata);
    return typeof found === 'object' && found !== null && 'topology' in found ? (found as Mark) : undefined;
  } catch {
    return undefined;
  }
}

/** A group has the offsets of another topology. */
export class ForeignGroupError extends Error {
  readonly type = 'FOREIGN_GROUP';
  readonly final = true;
}

/** @throws ForeignGroupError where another topology has committed in the group: this one would go on from its offsets */
export async function requireOwnGroup(
  admin: Admin,
  group: string,
  topics: readonly string[],
  topology: string,
): Promise<void> {
  for (const { metadata } of await groupOffsets(admin, group, topics)) {
    const other = markOf(metadata)?.topology;
    if (other === undefined || other === topology) continue;
    throw new ForeignGroupError(
      `the group ${group} belongs to the topology ${other}, which has committed offsets in it: set a \`group\` of its own for ${topology}`,
    );
  }
}
