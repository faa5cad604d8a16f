// The live page: logs in, follows /ws/pose and draws the room from above. It asks nothing of any other host.
import { createClient } from './client.js';
import { drawRoom } from './room.js';

const element = (id) => document.getElementById(id);
const TRAIL_MS = 8_000;
const STALE_MS = 3_000;
const ALERTS_SHOWN = 20;

const state = {
  scene: null,
  token: sessionStorage.getItem('csiflow-token'),
  live: null,
  frame: null,
  frameAt: -Infinity,
  trails: new Map(), // person -> [{x, y, at}]
  alerts: [],
};

element('login').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  logIn(form.get('username'), form.get('password')).catch((error) => {
    element('login-error').textContent = error.message;
  });
});
element('logout').addEventListener('click', () => leave(''));

start();

async function start() {
  state.scene = await (await fetch('/scene.json')).json();
  const environment = state.scene.environments[0];
  element('environment').textContent = `${environment.name}, ${environment.size.x} x ${environment.size.y} m`;
  if (state.token) enter();
  requestAnimationFrame(paint);
}

const clientOf = (credentials) => createClient({ address: location.origin, form: 'b', credentials });

async function logIn(username, password) {
  state.token = await clientOf({ username, password }).token();
  sessionStorage.setItem('csiflow-token', state.token);
  element('login-error').textContent = '';
  enter();
}

function enter() {
  element('login').hidden = true;
  element('live').hidden = false;
  element('logout').hidden = false;
  showNotes(null);
  connect();
}

function leave(reason) {
  sessionStorage.removeItem('csiflow-token');
  state.token = null;
  const { live } = state;
  state.live = null;
  live?.close();
  element('login').hidden = false;
  element('live').hidden = true;
  element('logout').hidden = true;
  element('login-error').textContent = reason;
}

// The token goes in the subprotocol list, so that it stands in no address and in no log of addresses.
function connect() {
  const live = clientOf({ token: state.token }).live({
    maxWaitMs: 8_000,
    onState: ({ connected, again }) => {
      if (!connected && !again && live === state.live) leave('The login has expired: please log in again.');
    },
  });
  state.live = live;
  const environment_id = state.scene.environments[0].id;
  live.subscribe('pose_updates', { include_3d: true, environment_id }, showPose);
  live.subscribe('alerts', {}, showAlert);
  live.subscribe('system_status', {}, ({ status }) => showEngine(status));
}

function showPose({ timestamp, data }) {
  state.frame = data;
  state.frameAt = performance.now();
  for (const person of data.persons) {
    const trail = state.trails.get(person.person_id) ?? [];
    trail.push({ ...person.position, at: state.frameAt });
    state.trails.set(person.person_id, trail);
  }
  element('badge').textContent = data.metadata.processing_mode.toUpperCase();
  element('badge').dataset.mode = element('badge').textContent;
  replaceItems('people', data.persons.map(describePerson));
  if (data.persons.length === 0) replaceItems('people', ['Nobody is seen.']);
  showNotes(data.metadata);
  element('badge').title = timestamp;
}

const describePerson = ({ person_id, posture, position, position_error, articulated }) =>
  `${person_id === 0 ? 'Somebody' : `Person ${person_id}`}, ${posture}, at ${position.x.toFixed(1)} / ${position.y.toFixed(1)} m, ` +
  `give or take ${position_error.toFixed(1)} m${articulated ? '' : '; too uncertain for a skeleton'}`;

function showAlert({ alert_id, timestamp, alert_type, severity, data }) {
  if (state.alerts.some((alert) => alert.id === alert_id)) return;
  state.alerts.unshift({ id: alert_id, at: performance.now(), location: data.location });
  state.alerts.length = Math.min(state.alerts.length, ALERTS_SHOWN);
  const item = document.createElement('li');
  const time = new Date(timestamp).toLocaleTimeString();
  item.textContent = `${time} ${alert_type.replaceAll('_', ' ')} (${severity}), confidence ${Math.round(data.confidence * 100)} % `;
  const button = textElement('button', 'Show');
  button.type = 'button';
  button.addEventListener('click', () => showClip(data.video_clip_url));
  item.append(button);
  element('alerts').prepend(item);
  while (element('alerts').children.length > ALERTS_SHOWN) element('alerts').lastChild.remove();
}

/** The clip takes the same credentials as all else, so it cannot simply be the address of an image. */
async function showClip(path) {
  element('clip-note').textContent = '';
  element('clip-image').removeAttribute('src');
  element('clip').showModal();
  try {
    const response = await fetch(path, { headers: { Authorization: `Bearer ${state.token}` } });
    if (!response.ok) throw new Error('The history has no pictures of this alert (yet).');
    element('clip-image').src = `data:image/svg+xml,${encodeURIComponent(await response.text())}`;
  } catch (error) {
    element('clip-note').textContent = error.message;
  }
}

function showEngine({ processing_fps, active_persons, system_health }) {
  const rows = {
    Health: system_health,
    'Poses a second': processing_fps.toFixed(1),
    'People followed': active_persons,
  };
  element('engine').replaceChildren(
    ...Object.entries(rows).flatMap(([name, value]) => [textElement('dt', name), textElement('dd', value)]),
  );
}

function showNotes(metadata) {
  const notes = state.scene.environments[0].assumed.map((note) => `Assumed: ${note}`);
  if (metadata) notes.unshift(`Model: ${metadata.model_version}.`);
  if (element('notes').dataset.shown === notes.join('\n')) return;
  element('notes').dataset.shown = notes.join('\n');
  replaceItems('notes', notes);
}

function replaceItems(id, texts) {
  element(id).replaceChildren(...texts.map((text) => textElement('li', text)));
}

function textElement(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function paint(now) {
  const stale = now - state.frameAt > STALE_MS;
  if (stale) {
    element('badge').textContent = 'OFFLINE';
    element('badge').dataset.mode = 'OFFLINE';
  }
  for (const [person, trail] of state.trails) {
    while (trail.length > 0 && now - trail[0].at > TRAIL_MS) trail.shift();
    if (trail.length === 0) state.trails.delete(person);
  }
  drawRoom(element('room'), state.scene.environments[0], {
    skeleton: state.scene.skeleton,
    persons: stale ? [] : (state.frame?.persons ?? []),
    trails: state.trails,
    alerts: state.alerts.filter(({ at }) => now - at < 15_000),
  });
  requestAnimationFrame(paint);
}
