import type { Admin } from 'kafkajs';
import { groupOffsets } from './offsets.js';

/** The metadata that csiflow stores with the group's offset of a partition. */
export interface Mark {
  /** The topology that the offsets belong to. */
  readonly topology: string;
  /** The state that they were committed from, if the process stores it. */
  readonly owner?: string;
  /** The process that committed it, in a scaled-out topology. */
  readonly holder?: {
    readonly id: string;
    readonly address?: string;
    /** See {@link RoomsRead}. */
    readonly rooms: string;
  };
}

/** Undefined if there is none, or if another program wrote it. */
export function markOf(metadata: string): Mark | undefined {
  try {
    const found: unknown = JSON.parse(metadata);
    return typeof found === 'object' && found !== null && 'topology' in found ? (found as Mark) : undefined;
  } catch {
    return undefined;
  }
}

/** The group holds the offsets of another topology. */
export class ForeignGroupError extends Error {
  readonly type = 'FOREIGN_GROUP';
  readonly final = true;
}

/** @throws ForeignGroupError if another topology has committed in the group: this one would continue from its offsets */
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
      `the group ${group} belongs to the topology ${other}, which has committed offsets in it: set a separate \`group\` for ${topology}`,
    );
  }
}
