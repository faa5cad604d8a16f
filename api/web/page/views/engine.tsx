import { Problem } from '../parts/problem.js';
import { poseFrameRate, isAway } from '../state/connection.js';
import { hasPoses, hearNodes } from '../state/motion.js';
import { numberText, usePolled } from '../state/poll.js';
import { room, scene } from '../state/scene.js';
import { ageText, now } from '../state/time.js';
import { topologyOf } from '../topology/asked.js';

/** Motion is asked for more often than health. */
const everyMs = () => (hasPoses.peek() ? 5_000 : 2_000);
/** Three answers have not come. */
const STALE_MS = 15_000;

/** The topology of the displayed room: how it is, and how often it reports people. */
export function Engine() {
  const polled = usePolled(async () => {
    // A topology may have no rooms.
    if (!room.value) return null;
    const topology = await topologyOf(room.value.topology);
    if (topology.id === room.peek()?.topology) hearNodes(topology.nodes);
    return { ...topology, at: Date.now() };
  }, everyMs);
  const { value: shown, problem } = polled.value;
  if (!room.value) return null;
  const ofRoom = shown?.id === room.value.topology ? shown : null;
  const silent = ofRoom !== null && (isAway.value || now.value - ofRoom.at > STALE_MS);
  const health = ofRoom?.status === 'running' ? 'good' : ofRoom?.status;
  const rows: Readonly<Record<string, string | undefined>> = ofRoom
    ? {
        Health: silent ? `${health}, then` : health,
        ...(hasPoses.value && { 'Poses a second': numberText(silent ? null : poseFrameRate.value, 1) }),
      }
    : {};
  return (
    <section aria-label="Engine">
      <h2>
        {title()}{' '}
        <span id="engine-age" class="age">
          {silent && `as of ${ageText(now.value - ofRoom.at)} ago`}
        </span>
      </h2>
      <dl id="engine" class={silent ? 'stale' : ''}>
        {Object.entries(rows).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Problem text={problem || (ofRoom?.problem ?? '')} />
    </section>
  );
}

/** Names the topology if there are several. */
function title(): string {
  const topologies = new Set(scene.value?.environments.map(({ topology }) => topology));
  return topologies.size > 1 ? `Engine of ${room.value?.topology}` : 'Engine';
}
