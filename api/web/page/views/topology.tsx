import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Planning } from '../planning/planning.js';
import { usePolled } from '../state/poll.js';
import { room } from '../state/scene.js';
import { mayAct, service } from '../state/session.js';
import { graphOf, topologyOf, type Topology } from '../topology/asked.js';
import { bottleneckOf, failedText, figuresOf, isOnPurpose, isUp, pressureIn } from '../topology/figures.js';
import { pressureText } from '../../../service/figures/pressure.js';
import { GraphPicture } from '../topology/graph.js';
import { DeadLetters, useLetters } from './dead-letters.js';
import { Problem } from '../parts/problem.js';
import { errorText } from '../../../client/errors.js';

const [EVERY_MS, GRAPH_EVERY_MS] = [2_000, 30_000];

/** The topology of the displayed room. */
export function TopologyView() {
  const before = useRef<Topology | null>(null);
  const latest = useRef<Topology | null>(null);
  const ids = useSignal('');
  const look = async () => {
    const now = await topologyOf(room.value?.topology ?? '');
    before.current = latest.current?.id === now.id ? latest.current : null;
    latest.current = now;
    ids.value = now.nodes.map(({ id }) => id).join();
    return now;
  };
  const topology = usePolled(look, EVERY_MS);
  const graph = usePolled(() => graphOf(room.value?.topology ?? '', ids.value), GRAPH_EVERY_MS);
  const now = topology.value.value;
  const rejected = useLetters();
  const letters = rejected.letters.value.value?.pagination.total ?? null;
  return (
    <>
      <section class="card">
        <h2>Topology {room.value?.topology}</h2>
        {now && <State now={now} />}
        <Problem text={topology.value.problem || graph.value.problem} />
        {now && graph.value.value && (
          <>
            <Bottleneck now={now} before={before.current} />
            <GraphPicture graph={graph.value.value} now={now} before={before.current} letters={letters} />
            <Losses now={now} letters={letters} />
          </>
        )}
      </section>
      <DeadLetters {...rejected} />
      {mayAct.value && room.value && <Planning key={room.value.topology} topology={room.value.topology} />}
    </>
  );
}

function State({ now }: { readonly now: Topology }) {
  const { id, status, problem } = now;
  const complaint = useSignal('');
  const act = async (action: 'start' | 'stop' | 'restart') => {
    if (
      action !== 'start' &&
      !confirm(`${action === 'stop' ? 'Stop' : 'Restart'} ${id}? Nobody is watched meanwhile.`)
    )
      return;
    complaint.value = '';
    const params = { params: { path: { id } } };
    const { rest } = service();
    try {
      if (action === 'start') await rest.POST('/topologies/{id}/start', params);
      else if (action === 'restart') await rest.POST('/topologies/{id}/restart', params);
      else await rest.POST('/topologies/{id}/stop', { ...params, body: {} });
    } catch (error) {
      complaint.value = errorText(error);
    }
  };
  const up = isUp(now);
  return (
    <>
      <p class="actions">
        <span id="topology-state" class={`chip ${status === 'running' ? 'good' : 'bad'}`}>
          {status}
        </span>
        {mayAct.value && (
          <>
            <button type="button" disabled={up} onClick={() => void act('start')}>
              Start
            </button>
            <button type="button" disabled={!up} onClick={() => void act('restart')}>
              Restart
            </button>
            <button type="button" disabled={!up} onClick={() => void act('stop')}>
              Stop
            </button>
          </>
        )}
      </p>
      <Problem text={[problem, complaint.value].filter(Boolean).join('. ')} />
    </>
  );
}

function Bottleneck({ now, before }: { readonly now: Topology; readonly before: Topology | null }) {
  const figures = figuresOf(now, before);
  const slowest = bottleneckOf(now, figures);
  if (!isUp(now)) return null;
  const isSource = now.nodes.some(({ id, kind }) => id === slowest && kind === 'source');
  const pressure = slowest === null || isSource ? pressureIn(now, before) : null;
  if (pressure) {
    return (
      <p class="problem" id="bottleneck">
        {pressureText(pressure)}
      </p>
    );
  }
  return (
    <p class="hint" id="bottleneck">
      {slowest === null
        ? waitingText(now)
        : `Bottleneck: ${figures.get(slowest)!.waiting} records wait at ${slowest}.`}
    </p>
  );
}

const waitingText = ({ nodes }: Topology): string => {
  const held = nodes.filter(({ undelivered }) => undelivered > 0);
  return held.length === 0
    ? 'No bottleneck: no node falls behind.'
    : `Waiting to be delivered: ${held.map(({ id, undelivered }) => `${undelivered} at ${id}`).join(', ')}.`;
};

/** Records that went no further, by reason: lost ones, and those that a judgement or a setting stopped. */
function Losses({ now, letters }: { readonly now: Topology; readonly letters: number | null }) {
  const dropped = now.nodes.flatMap(({ id, dropped }) =>
    Object.entries(dropped).map(([reason, count]) => ({ id, count, reason })),
  );
  const lost = [
    ...dropped.filter(({ reason }) => !isOnPurpose(reason)),
    ...now.nodes.flatMap(({ id, failed, missing }) => [
      ...(failed > 0 ? [{ id, count: failed, reason: failedText(letters) }] : []),
      ...(missing > 0 ? [{ id, count: missing, reason: "missing by the senders' numbers" }] : []),
    ]),
  ];
  const onPurpose = dropped.filter(({ reason }) => isOnPurpose(reason));
  return (
    <>
      {lost.length === 0 ? (
        <p class="empty">Nothing was lost, failed or is missing since the start.</p>
      ) : (
        <Counts of={lost} />
      )}
      {onPurpose.length > 0 && (
        <>
          <p class="hint">Dropped on purpose, so nothing is lost:</p>
          <Counts of={onPurpose} />
        </>
      )}
    </>
  );
}

interface Count {
  readonly id: string;
  readonly count: number;
  readonly reason: string;
}

function Counts({ of }: { readonly of: readonly Count[] }) {
  return (
    <ul class="losses">
      {of.map(({ id, count, reason }) => (
        <li key={`${id} ${reason}`}>
          <strong>{id}</strong>: {count} {reason.replaceAll('_', ' ')}
        </li>
      ))}
    </ul>
  );
}
