import type { PartitionAssigner } from 'kafkajs';
import type { StaticProtocol } from '../corrections.js';
import { loadKafka } from '../library.js';

export interface StickyOptions {
  /** Id of the topology. A group only accepts members with a common protocol, so another topology is rejected. */
  readonly id: string;
  /** The topic whose partitions are shared. */
  readonly topic: string;
  /** Its partition n is assigned together with partition n of `topic`. */
  readonly beside: string;
  /** Identifies this process over restarts. */
  readonly groupInstanceId: string;
  /** The partitions that this process has now. */
  readonly owned: () => readonly number[];
}

/**
 * Spreads the partitions of one topic evenly over a group, and leaves members the partitions that they have:
 * a partition that moves is read again from its last checkpoint.
 */
export async function stickyAssigner({
  id,
  topic,
  beside,
  groupInstanceId,
  owned,
}: StickyOptions): Promise<PartitionAssigner> {
  const { AssignerProtocol } = await loadKafka();
  const { MemberAssignment, MemberMetadata } = AssignerProtocol;
  const name = `csiflow-sticky/${id}`;
  return ({ cluster }) => ({
    name,
    version: 1,
    protocol: ({ topics }): StaticProtocol => ({
      name,
      groupInstanceId,
      metadata: MemberMetadata.encode({
        version: 1,
        topics,
        userData: Buffer.from(JSON.stringify(owned())),
      }),
    }),
    assign: async ({ members }) => {
      const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const claims = new Map(
        members.map(({ memberId, memberMetadata }) => [
          memberId,
          claimsOf(MemberMetadata.decode(memberMetadata)?.userData),
        ]),
      );
      return [...spread(partitions, claims)].map(([memberId, assigned]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: 1,
          assignment: { [topic]: assigned, [beside]: assigned },
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}

/** Partitions of each member: an equal share, or one more; its claims as far as that allows. */
export function spread(
  partitions: readonly number[],
  claims: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<string, number[]> {
  const members = [...claims.keys()].sort();
  const assigned = new Map<string, number[]>(members.map((member) => [member, []]));
  const free = new Set(partitions);
  const least = Math.floor(partitions.length / members.length);
  let larger = partitions.length % members.length;
  for (const member of members) {
    const retained = claims.get(member)!.filter((partition) => free.has(partition));
    const most = retained.length > least && larger > 0 ? least + 1 : least;
    if (most > least) larger--;
    for (const partition of retained.slice(0, most)) {
      free.delete(partition);
      assigned.get(member)!.push(partition);
    }
  }
  for (const partition of [...free].sort((a, b) => a - b)) {
    const fewest = members.reduce((a, b) => (assigned.get(b)!.length < assigned.get(a)!.length ? b : a));
    assigned.get(fewest)!.push(partition);
  }
  for (const list of assigned.values()) list.sort((a, b) => a - b);
  return assigned;
}

function claimsOf(userData: Buffer | undefined): readonly number[] {
  if (!userData || userData.length === 0) return [];
  const claimed: unknown = JSON.parse(userData.toString());
  return Array.isArray(claimed) ? claimed.filter((one): one is number => Number.isInteger(one)) : [];
}
