import type { AssignerProtocol, GroupMember, GroupMemberAssignment, PartitionAssigner } from 'kafkajs';
import type { StaticProtocol } from '../../kafka/index.js';

/** Partitions by topic. */
export type Share = Readonly<Record<string, readonly number[]>>;

/** A member of the group, as seen by the member that assigns the partitions. */
export interface Claimant {
  readonly id: string;
  /** Partitions it has read and not released yet. */
  readonly claims: Share;
}

/**
 * Assigns partitions so that none moves to another member before its reader has released it. A member with
 * too many first loses the surplus, which stays unassigned. It waits for a checkpoint that covers what it has
 * read, and joins again; only then another member gets it (Kafka's cooperative rebalancing, KIP-429).
 * Unclaimed partitions are assigned immediately; one claimed twice goes to neither.
 */
export function shareOut(members: readonly Claimant[], topics: Share): ReadonlyMap<string, Share> {
  const all = Object.entries(topics).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition, key: `${topic}/${partition}` })),
  );
  const claimants = claimantsOf(members);
  const loads = members.map(({ id }) => ({ id, given: [] as typeof all }));
  const byId = new Map(loads.map((load) => [load.id, load]));
  for (const one of all) {
    const [owner, other] = claimants.get(one.key) ?? [];
    if (owner !== undefined && other === undefined) byId.get(owner)!.given.push(one);
  }
  // The first members may have one more; those with the most claims lose the least.
  loads.sort((a, b) => b.given.length - a.given.length || (a.id < b.id ? -1 : 1));
  const least = Math.floor(all.length / members.length);
  const more = all.length % members.length;
  loads.forEach((load, index) => load.given.splice(least + (index < more ? 1 : 0)));
  for (const one of all) {
    if (claimants.has(one.key)) continue;
    loads.reduce((a, b) => (b.given.length < a.given.length ? b : a)).given.push(one);
  }
  return new Map(loads.map(({ id, given }) => [id, byTopic(given)]));
}

/** Ids of the members that claim each partition. */
function claimantsOf(members: readonly Claimant[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { id, claims } of members)
    for (const [topic, partitions] of Object.entries(claims))
      for (const partition of partitions) {
        const key = `${topic}/${partition}`;
        found.set(key, [...(found.get(key) ?? []), id]);
      }
  return found;
}

function byTopic(given: readonly { readonly topic: string; readonly partition: number }[]): Share {
  const share: Record<string, number[]> = {};
  for (const { topic, partition } of given) (share[topic] ??= []).push(partition);
  return share;
}

/** What a member reports about itself. */
export interface Membership {
  /** Id of the topology. A group only accepts members with a common protocol, so another topology is rejected. */
  readonly topology: string;
  /** Identifies the process over restarts: after a kill, it takes over its former membership. */
  readonly groupInstanceId: string;
  /** What it claims now. */
  readonly claims: () => Share;
}

/** {@link shareOut} as kafkajs takes it. */
export const cooperativeAssigner =
  (protocol: typeof AssignerProtocol, { topology, groupInstanceId, claims }: Membership): PartitionAssigner =>
  ({ cluster }) => ({
    name: `csiflow-cooperative/${topology}`,
    version: 1,
    protocol: ({ topics }): StaticProtocol => ({
      name: `csiflow-cooperative/${topology}`,
      groupInstanceId,
      metadata: protocol.MemberMetadata.encode({
        version: 1,
        topics: [...topics],
        userData: Buffer.from(JSON.stringify(claims())),
      }),
    }),
    assign: async ({ members, topics }): Promise<GroupMemberAssignment[]> => {
      const partitions = Object.fromEntries(
        topics.map((topic) => [
          topic,
          cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId),
        ]),
      );
      const claimants = members.map((member) => claimantOf(protocol, member));
      return [...shareOut(claimants, partitions)].map(([memberId, share]) => ({
        memberId,
        memberAssignment: protocol.MemberAssignment.encode({
          version: 1,
          assignment: Object.fromEntries(Object.entries(share).map(([topic, list]) => [topic, [...list]])),
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });

function claimantOf(protocol: typeof AssignerProtocol, { memberId, memberMetadata }: GroupMember): Claimant {
  const text = protocol.MemberMetadata.decode(memberMetadata)?.userData.toString() ?? '';
  return { id: memberId, claims: text === '' ? {} : (JSON.parse(text) as Share) };
}
