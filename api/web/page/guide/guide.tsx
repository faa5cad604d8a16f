import type { ComponentChildren } from 'preact';
import { part } from '../settings/settings.js';
import { goTo, room, type View } from '../state/scene.js';
import { isAdmin } from '../state/session.js';
import './guide.css';
import { isGuideOpen, toggleGuide } from './open.js';

/** The first steps of somebody who has just started csiflow. */
export function Guide() {
  if (!isGuideOpen.value) return null;
  return (
    <section id="guide" class="card" aria-label="First steps">
      <div class="actions">
        <h2>First steps</h2>
        <button type="button" class="quiet" onClick={toggleGuide}>
          Close the guide
        </button>
      </div>
      <ol>
        <Step title="What you see">
          <p>
            {room.value?.name ?? 'A room'} from above: people with their trail, the links that sense them, and
            zones. The badge at the top says whether the data are live, replayed or simulated.
          </p>
        </Step>
        {isAdmin.value && (
          <Step title="Change the password">
            <p>The first start printed it on a screen that others may read.</p>
            <Go
              view="settings"
              before={() => {
                part.value = 'accounts';
              }}
            >
              Open the users
            </Go>
          </Step>
        )}
        <Step title="Connect your receiver">
          <p>
            This command writes a topology for what your receiver sends:{' '}
            <code>csiflow init udp://0.0.0.0:5005</code>. <code>docs/receivers.md</code> has one for each
            kind.
          </p>
          <Go view="topology">Open the topology</Go>
        </Step>
        <Step title="Describe your room">
          <p>
            The environment has the size of the room, and where transmitters and receivers are. Links say
            whether they count, and why not.
          </p>
          <Go view="environment">Open the editor</Go>
        </Step>
        <Step title="Read on">
          <p>
            The folder <code>docs/</code> of csiflow begins with <code>README.md</code>. Try the API{' '}
            <a href="/docs/">in the browser</a>. This guide opens again with Guide, at the top.
          </p>
        </Step>
      </ol>
    </section>
  );
}

function Step({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <li>
      <h3>{title}</h3>
      {children}
    </li>
  );
}

interface GoProps {
  readonly view: View;
  readonly before?: () => void;
  readonly children: ComponentChildren;
}

function Go({ view, before, children }: GoProps) {
  return (
    <button
      type="button"
      onClick={() => {
        before?.();
        goTo({ view });
      }}
    >
      {children}
    </button>
  );
}
