import { useSignal } from '@preact/signals';
import { numberText, usePolled } from '../state/poll.js';
import { addLinkOf } from '../environment/senders.js';
import { room } from '../state/scene.js';
import { mayAct, service } from '../state/session.js';
import { timeText } from '../state/time.js';
import { Problem } from '../parts/problem.js';
import { SignalOf } from './signal.js';

const EVERY_MS = 2_000;

/** Throws if not logged in. */
async function linksOf(topology: string) {
  const { data } = await service().rest.GET('/topologies/{id}/links', { params: { path: { id: topology } } });
  return data!.data;
}
type Answer = Awaited<ReturnType<typeof linksOf>>;
type LinkRow = Answer['links'][number];

/** The state of each link of the room, and senders without a link. */
export function Links() {
  const links = usePolled(() => linksOf(room.value?.topology ?? ''), EVERY_MS);
  const shown = useSignal<string | null>(null);
  const { value, problem } = links.value;
  const own = value?.links.filter(({ environment_id: id }) => id === room.value?.id) ?? [];
  const counting = own.filter(({ counts }) => counts).length;
  return (
    <>
      <section class="card">
        <h2>
          Links of {room.value?.name} {value && `(${counting} of ${own.length} count)`}
        </h2>
        <Problem text={problem} />
        <div class="scroll" role="region" aria-label="Table of links" tabIndex={0}>
          <table id="links">
            <thead>
              <tr>
                {['Link', 'State', 'Frames/s', 'Loss', 'RSSI', 'Noise', 'SNR', 'Newest frame', 'Sender'].map(
                  (title) => (
                    <th key={title} scope="col">
                      {title}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {own.map((link) => (
                <Row key={link.id} link={link} show={() => (shown.value = link.id)} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {own.some(({ id }) => id === shown.value) && <SignalOf key={shown.value} link={shown.value ?? ''} />}
      {value && <Strangers senders={value.unknown_senders} />}
    </>
  );
}

function Row({ link, show }: { readonly link: LinkRow; readonly show: () => void }) {
  return (
    <>
      <tr>
        <th scope="row">
          {link.id}{' '}
          {mayAct.value && (
            <button type="button" class="quiet" aria-label={`Signal of ${link.id}`} onClick={show}>
              Signal
            </button>
          )}
        </th>
        <td>
          <span class={`chip ${link.counts ? 'good' : 'bad'}`}>{link.counts ? 'counts' : 'ignored'}</span>
        </td>
        <td>{numberText(link.frames_per_second)}</td>
        <td>{numberText(link.loss === null ? null : link.loss * 100, 1, ' %')}</td>
        <td>{numberText(link.rssi_dbm, 1, ' dBm')}</td>
        <td>{numberText(link.noise_dbm, 1, ' dBm')}</td>
        <td>{numberText(link.snr_db, 1, ' dB')}</td>
        <td>{link.last_frame === null ? 'never' : timeText(link.last_frame)}</td>
        <td>
          <code>{link.sender}</code>
        </td>
      </tr>
      {link.reason !== null && (
        <tr class="reason">
          <td colSpan={9}>Why: {link.reason}.</td>
        </tr>
      )}
    </>
  );
}

function Strangers({ senders }: { readonly senders: Answer['unknown_senders'] }) {
  return (
    <section class="card">
      <h2>Senders without a link</h2>
      {senders.length === 0 ? (
        <p class="empty">None: every sender that is heard belongs to a link.</p>
      ) : (
        <ul id="strangers">
          {senders.map(({ node, sender, frames, line }) => (
            <li key={`${node} ${sender}`}>
              <strong>{sender || 'A sender without a name'}</strong> sent {frames} frames to{' '}
              <code>{node}</code>, which are dropped. To use them, write this in a link of the environment
              file:
              <pre tabIndex={0}>
                <code>{line}</code>
              </pre>
              {mayAct.value && (
                <button
                  type="button"
                  onClick={() => {
                    addLinkOf(line);
                  }}
                >
                  Add a link of it
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
