/** A partition by one name: its topic, a slash, its number. */
export const nameOf = (topic: string, partition: number | string): string => `${topic}/${partition}`;

export function partitionOf(name: string): { readonly topic: string; readonly partition: number } {
  const slash = name.lastIndexOf('/');
  return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
}

/** Names of the partitions that a group has given to a member. */
export const namesOf = (given: Readonly<Record<string, readonly number[]>>): ReadonlySet<string> =>
  new Set(
    Object.entries(given).flatMap(([topic, partitions]) =>
      partitions.map((partition) => nameOf(topic, partition)),
    ),
  );

/** As kafkajs wants them to pause or resume. */
export function byTopic(names: readonly string[]): { topic: string; partitions: number[] }[] {
  const found = new Map<string, number[]>();
  for (const name of names) {
    const { topic, partition } = partitionOf(name);
    found.set(topic, [...(found.get(topic) ?? []), partition]);
  }
  return [...found].map(([topic, partitions]) => ({ topic, partitions }));
}
