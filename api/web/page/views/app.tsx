import { useSignal } from '@preact/signals';
import { AlertsPanel, AlarmBanner, ClipDialog } from './alerts.js';
import { Header, AwayBanner, TITLES } from './header.js';
import { Engine } from './engine.js';
import { People, Notes } from './people.js';
import { RoomCanvas } from '../room/canvas.js';
import { Guide } from '../guide/guide.js';
import { Settings } from '../settings/settings.js';
import { isAway } from '../state/connection.js';
import { view } from '../state/scene.js';
import { loginProblem, logIn, token } from '../state/session.js';
import { EnvironmentEditor } from './environment.js';
import { Links } from './links.js';
import { TimeBar } from './time-bar.js';
import { TopologyView } from './topology.js';
import { History } from './history.js';
import { textOf } from '../parts/text-of.js';
import { errorText } from '../../../client/errors.js';

export function App() {
  return (
    <>
      <Header />
      {token.value === null ? <Login /> : <Live />}
    </>
  );
}

function Live() {
  return (
    <>
      <AwayBanner />
      <AlarmBanner />
      <main id="live" class={isAway.value ? 'away' : ''}>
        <section class="view" aria-label={TITLES[view.value]}>
          <Shown />
          {/* Below what somebody has come to see. */}
          <Guide />
        </section>
        <aside aria-label="What happens now">
          <AlertsPanel />
          <People />
          <Engine />
          <Notes />
        </aside>
      </main>
      <ClipDialog />
    </>
  );
}

function Shown() {
  switch (view.value) {
    case 'room':
      return (
        <>
          <RoomCanvas />
          <TimeBar />
        </>
      );
    case 'links':
      return <Links />;
    case 'topology':
      return <TopologyView />;
    case 'history':
      return <History />;
    case 'environment':
      return <EnvironmentEditor />;
    case 'settings':
      return <Settings />;
  }
}

function Login() {
  const busy = useSignal(false);
  const enter = async (form: HTMLFormElement) => {
    busy.value = true;
    try {
      await logIn(textOf(form, 'username'), textOf(form, 'password'));
    } catch (error) {
      loginProblem.value = errorText(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <main class="door">
      <form
        id="login"
        onSubmit={(event) => {
          event.preventDefault();
          void enter(event.currentTarget);
        }}
      >
        <h2>Log in</h2>
        <label>
          Name <input name="username" autocomplete="username" defaultValue="admin" required />
        </label>
        <label>
          Password <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit" class="primary" disabled={busy.value}>
          Log in
        </button>
        <p id="login-error" class="problem" role="alert">
          {loginProblem}
        </p>
        <p class="hint">
          The first start of csiflow prints the password of <code>admin</code> once.
        </p>
      </form>
    </main>
  );
}
