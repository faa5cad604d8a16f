// The live page: logs in, follows /ws/pose and draws the room from above. It asks nothing of any other host.
import { drawRoom } from './room.js';

const element = (id) => document.getElementById(id);
const TRAIL_MS = 8_000;
const STALE_MS = 3_000;
const ALERTS_SHOWN = 20;

const state = {
  scene: null,
  token: sessionStorage.getItem('csiflow-token'),
  socket: null,
  retryMs: 500,
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

async function logIn(username, password) {
  const response = await fetch('/form-b/api/v1/auth/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  state.token = body.data.access_token;
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
  state.socket?.close();
  element('login').hidden = false;
  element('live').hidden = true;
  element('logout').hidden = true;
  element('login-error').textContent = reason;
}

// The token goes in the subprotocol list, so that it stands in no address and in no log of addresses.
function connect() {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  const socket = new WebSocket(`${scheme}://${location.host}/ws/pose`, ['pose_v1', state.token]);
  let welcomed = false;
  state.socket = socket;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === 'connection_established') {
      welcomed = true;
      state.retryMs = 500;
      subscribe(socket);
    } else receive(message);
  });
  socket.addEventListener('close', ({ code }) => {
    if (!state.token) return;
    if (code === 4401) return leave('The login has expired.');
    if (!welcomed) return checkToken();
    retry();
  });
}

/** A refused WebSocket does not say why: ask the service whether the token is still good. */
async function checkToken() {
  try {
    const response = await fetch('/form-b/api/v1/pose/latest', {
      headers: { Authorization: `Bearer ${state.token}` },
    });
    if (response.status === 401) return leave('Please log in again.');
  } catch (error) {
    console.info('csiflow does not answer yet', error);
  }
  retry();
}

function retry() {
  setTimeout(connect, state.retryMs);
  state.retryMs = Math.min(state.retryMs * 2, 8_000);
}

function subscribe(socket) {
  const environment_id = state.scene.environments[0].id;
  for (const subscription of [
    { channel: 'pose_updates', filters: { include_3d: true, environment_id } },
    { channel: 'alerts', filters: {} },
    { channel: 'system_status', filters: {} },
  ])
    socket.send(JSON.stringify({ type: 'subscribe', ...subscription }));
}

function receive(message) {
  if (message.type === 'pose_update') showPose(message);
  else if (message.type === 'alert') showAlert(message);
  else if (message.type === 'system_status') showEngine(message.status);
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
  item.textContent = `${time} ${alert_type.replaceAll('_', ' ')} (${severity}), confidence ${Math.round(data.confidence * 100)} %`;
  element('alerts').prepend(item);
  while (element('alerts').children.length > ALERTS_SHOWN) element('alerts').lastChild.remove();
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
