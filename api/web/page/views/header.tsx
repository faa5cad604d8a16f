import { isGuideOpen, toggleGuide } from '../guide/open.js';
import { notifications, askForNotifications, sound, toggleSound } from '../state/announce.js';
import { newestData, isAway, isStale, link } from '../state/connection.js';
import { hasEnded, hasPoses } from '../state/motion.js';
import { shownTime } from '../state/past.js';
import { goTo, room, scene, view, VIEWS } from '../state/scene.js';
import { logOut, mayAct, token } from '../state/session.js';
import { nextTheme, theme } from '../state/theme.js';
import { ageText, now, timeText } from '../state/time.js';

export function Header() {
  const loggedIn = token.value !== null;
  return (
    <header>
      <h1>csiflow</h1>
      {loggedIn && <Badge />}
      <RoomChoice />
      {loggedIn && <Navigation />}
      <div class="end">
        {loggedIn && (
          <button type="button" class="quiet" aria-pressed={isGuideOpen.value} onClick={toggleGuide}>
            Guide
          </button>
        )}
        {loggedIn && <SoundButton />}
        {loggedIn && notifications.value === 'default' && (
          <button type="button" class="quiet" onClick={() => void askForNotifications()}>
            Notify me
          </button>
        )}
        <button
          type="button"
          class="quiet"
          onClick={nextTheme}
          title="Switches between the colours of the system, light and dark"
        >
          {THEMES[theme.value]}
        </button>
        {loggedIn && (
          <button id="logout" type="button" class="quiet" onClick={leave}>
            Log out
          </button>
        )}
      </div>
    </header>
  );
}

const leave = (): void => {
  logOut();
};

const THEMES = { system: 'Auto', light: 'Light', dark: 'Dark' } as const;

function SoundButton() {
  return (
    <button type="button" class="quiet" aria-pressed={sound.value} onClick={toggleSound}>
      {sound.value ? 'Sound on' : 'Sound off'}
    </button>
  );
}

/** The kind of data, and its age. */
function Badge() {
  const shown = newestData.value;
  if (shownTime.value !== null) return <PastBadge time={shownTime.value} />;
  const mode = shown === null ? 'NO DATA' : isStale.value ? 'STALE' : shown.mode;
  return (
    <span class="state">
      <span id="badge" class="badge" data-mode={mode} role="status">
        {mode}
      </span>
      <span id="age" title={shown === null ? '' : `Data of ${new Date(shown.time).toISOString()}`}>
        {shown === null ? waitingText() : dataText(shown)}
      </span>
    </span>
  );
}

const waitingText = (): string =>
  hasEnded.value ? 'the input has ended' : `waiting for ${hasPoses.value ? 'poses' : 'motion'}`;

function dataText({ at, mode }: { readonly at: number | null; readonly mode: string }): string {
  if (at === null) return `${mode.toLowerCase()}, ended`;
  const age = ageText(now.value - at);
  if (!isStale.value) return `${age} old`;
  return hasEnded.value ? `${mode.toLowerCase()}, ended ${age} ago` : `${mode.toLowerCase()}, ${age} old`;
}

/** The view shows a past moment: nobody must take it for now. */
function PastBadge({ time }: { readonly time: number }) {
  return (
    <span class="state">
      <span id="badge" class="badge" data-mode="PAST" role="status">
        PAST
      </span>
      <span id="age">{timeText(time)}</span>
    </span>
  );
}

function RoomChoice() {
  const { environments = [] } = scene.value ?? {};
  if (!room.value) return null;
  const { id, size } = room.value;
  return (
    <span class="choice">
      <select
        id="environment"
        aria-label="Room"
        value={id}
        onChange={({ currentTarget }) => {
          goTo({ environment: currentTarget.value });
        }}
      >
        {environments.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
      <span id="size">
        {size.x} x {size.y} m
      </span>
    </span>
  );
}

export const TITLES = {
  room: 'Room',
  links: 'Links',
  topology: 'Topology',
  history: 'History',
  environment: 'Editor',
  settings: 'Settings',
} as const;

function Navigation() {
  return (
    <nav aria-label="Views">
      {VIEWS.filter((one) => one !== 'environment' || mayAct.value).map((one) => (
        <a
          key={one}
          href={`?view=${one}`}
          aria-current={view.value === one ? 'page' : undefined}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            goTo({ view: one });
          }}
        >
          {TITLES[one]}
        </a>
      ))}
    </nav>
  );
}

/** While the service does not answer, the page shows the last known state. */
export function AwayBanner() {
  if (!isAway.value) return null;
  const { since } = link.value;
  return (
    <p id="away" class="banner" role="status">
      The service has not answered for {ageText(now.value - since)}, since {timeText(since)}. What you see is
      from then. Trying again.
    </p>
  );
}
