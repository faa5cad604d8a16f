import { effect } from '@preact/signals';
import { render } from 'preact';
import './style/page.css';
import { App } from './views/app.js';
import { alerts } from './state/alerts.js';
import { connect, disconnect, followRoom } from './state/connection.js';
import { loadScene, readAddress, room } from './state/scene.js';
import { client, loginProblem, logOut, token } from './state/session.js';

/**
 * The live page: logs in, follows /ws/pose and queries the REST interface. It makes no requests to other
 * hosts.
 */
render(<App />, document.getElementById('app')!);
addEventListener('popstate', readAddress);

effect(() => {
  const { value } = client;
  void enter(value !== null);
});

async function enter(loggedIn: boolean): Promise<void> {
  disconnect();
  if (!loggedIn) alerts.value = [];
  try {
    if (!(await loadScene(token.peek()))) {
      if (loggedIn) logOut('The login has expired: please log in again.');
    } else if (loggedIn && client.peek()) connect();
  } catch (error) {
    loginProblem.value = `The rooms could not be loaded: ${String(error)}`;
  }
}

let followed: string | undefined;
effect(() => {
  const id = room.value?.id;
  if (id !== undefined && id !== followed) followRoom();
  followed = id;
});
