import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { errorText } from '../../../client/errors.js';
import { dopplerOf } from '../signal/doppler.js';
import { signalOf } from '../signal/frames.js';
import { straightened, unwrapped } from '../signal/phases.js';
import { Profile } from '../signal/profile.js';
import type { Signal } from '../signal/records.js';
import { Waterfall } from '../signal/waterfall.js';
import { usePolled } from '../state/poll.js';
import { room } from '../state/scene.js';
import { topologyOf } from '../topology/asked.js';
import { Problem } from '../parts/problem.js';

const SPANS = [2, 10, 30] as const;
const NODES_EVERY_MS = 60_000;

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'receiving' }
  | { readonly kind: 'received'; readonly signal: Signal | null };

/**
 * What a link receives: amplitude, phase and Doppler over time, and amplitude and phase of the newest frame. It looks when asked
 * to, because each look at CSI is noted in the audit log.
 */
export function SignalOf({ link }: { readonly link: string }) {
  const topology = room.value?.topology ?? '';
  const nodes = usePolled(() => topologyOf(topology), NODES_EVERY_MS);
  const known = (nodes.value.value?.nodes ?? []).filter(({ kind }) => kind !== 'sink');
  const chosen = useSignal('');
  const seconds = useSignal<number>(SPANS[0]);
  const state = useSignal<State>({ kind: 'idle' });
  const problem = useSignal('');
  const node = chosen.value || (known.find(({ kind }) => kind === 'source')?.id ?? '');
  const look = async () => {
    state.value = { kind: 'receiving' };
    problem.value = '';
    const asked = { topology, node, environment: room.value?.id ?? '', link, seconds: seconds.value };
    try {
      state.value = { kind: 'received', signal: await signalOf(asked) };
    } catch (error) {
      state.value = { kind: 'idle' };
      problem.value = errorText(error);
    }
  };
  return (
    <section id="signal" class="card">
      <h2>Signal of {link}</h2>
      <div class="actions">
        <label>
          as it leaves{' '}
          <select value={node} onChange={({ currentTarget: { value } }) => (chosen.value = value)}>
            {known.map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
        <label>
          for{' '}
          <select
            value={seconds.value}
            onChange={({ currentTarget: { value } }) => (seconds.value = Number(value))}
          >
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span} seconds
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={state.value.kind === 'receiving'} onClick={() => void look()}>
          Receive
        </button>
      </div>
      <Problem text={problem.value || nodes.value.problem} />
      <Received state={state.value} node={node} />
    </section>
  );
}

function Received({ state, node }: { readonly state: State; readonly node: string }) {
  if (state.kind === 'idle') return null;
  if (state.kind === 'receiving') return <p role="status">Receiving…</p>;
  if (state.signal) return <Picture signal={state.signal} />;
  return (
    <p role="status">
      No frame of this link arrived from {node}: the link is silent, or the node gives no CSI.
    </p>
  );
}

function Picture({ signal }: { readonly signal: Signal }) {
  const pair = useSignal(0);
  const { frames, indices, antennas, others } = signal;
  const antenna = antennas[pair.value] ?? antennas[0]!;
  const [rx, tx] = antenna;
  const { amplitudes, phases } = frames.at(-1)!;
  return (
    <>
      {antennas.length > 1 && (
        <label>
          Antennas{' '}
          <select
            value={pair.value}
            onChange={({ currentTarget: { value } }) => (pair.value = Number(value))}
          >
            {antennas.map(([receiver, transmitter], index) => (
              <option key={index} value={index}>
                receiver {receiver + 1}, transmitter {transmitter + 1}
              </option>
            ))}
          </select>
        </label>
      )}
      {others > 0 && <p class="hint">{others} frames of other layouts are not shown.</p>}
      <Waterfalls signal={signal} rx={rx} tx={tx} />
      <Profile
        title="Amplitude of the newest frame"
        unit="(sender's unit)"
        values={amplitudes[rx]![tx]!}
        indices={indices}
      />
      <Profile
        title="Phase of the newest frame, without jumps"
        unit="rad"
        values={unwrapped(phases[rx]![tx]!)}
        indices={indices}
      />
    </>
  );
}

interface WaterfallsProps {
  readonly signal: Signal;
  readonly rx: number;
  readonly tx: number;
}

/** Amplitude, phase and Doppler over time. */
function Waterfalls({ signal, rx, tx }: WaterfallsProps) {
  const { frames, indices, seconds } = signal;
  const { amplitudes, phases, doppler } = useMemo(
    () => ({
      amplitudes: frames.map((frame) => frame.amplitudes[rx]![tx]!),
      phases: frames.map((frame) => straightened(frame.phases[rx]![tx]!, indices)),
      doppler: dopplerOf(frames, rx, tx),
    }),
    [signal, rx, tx],
  );
  const rows = `Subcarriers ${indices[0]!} (below) to ${indices.at(-1)!} (above), the newest on the right`;
  return (
    <>
      <Waterfall
        title={`Amplitudes of ${frames.length} frames over ${seconds.toFixed(1)} s`}
        words={`${rows}; the brighter, the stronger.`}
        columns={amplitudes}
      />
      <Waterfall
        title="Phases"
        words={`${rows}; the brighter, the later. Their line over the subcarriers, which comes from the clocks, is removed.`}
        columns={phases}
      />
      {doppler ? (
        <Waterfall
          title="Doppler"
          words={`How fast the power varies: ${doppler.low.toFixed(1)} Hz (below) to ${doppler.high.toFixed(0)} Hz (above). Somebody who walks shows as a band that rises with the speed.`}
          columns={doppler.columns}
        />
      ) : (
        <p class="hint">Doppler needs 32 frames at 20 a second or more: receive {SPANS[0]} seconds.</p>
      )}
    </>
  );
}
