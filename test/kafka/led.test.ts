import type { Admin } from 'kafkajs';
import { expect, test } from 'vitest';
import { led } from '../../pipeline/kafka/led.js';

const metadata = (leader: number) => ({
  topics: [
    { name: 't', partitions: [{ partitionErrorCode: 0, partitionId: 0, leader, replicas: [], isr: [] }] },
  ],
});

/** An admin client that answers with these, one after the other. */
function answering(...answers: readonly (Error | ReturnType<typeof metadata>)[]) {
  const left = [...answers];
  const admin: Pick<Admin, 'fetchTopicMetadata'> = {
    fetchTopicMetadata: () => {
      const answer = left.shift()!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  return { admin, left };
}

const failure = (type: string) => Object.assign(new Error(type), { type });

test('a topic that its broker does not know yet is waited for, and one without a leader', async () => {
  const { admin, left } = answering(
    failure('UNKNOWN_TOPIC_OR_PARTITION'),
    failure('LEADER_NOT_AVAILABLE'),
    metadata(-1),
    metadata(1),
  );
  await led(admin, 't');
  expect(left).toEqual([]);
});

test('any other error is passed on', async () => {
  const { admin } = answering(failure('TOPIC_AUTHORIZATION_FAILED'));
  await expect(led(admin, 't')).rejects.toThrow('TOPIC_AUTHORIZATION_FAILED');
});
