// The live page: logs in, follows /ws/pose and draws a room from above. It asks nothing of any other host. Which room
// stands in the address, `?environment=hall`, so that it can be linked to.
import { createClient } from './client.js';
import { drawRoom, fitRoom } from './room.js';

const element = (id) => document.getElementById(id);
const TRAIL_MS = 8_000;
const STALE_MS = 3_000;
/** The service tells of its status when it changes, and every few seconds. */
const ENGINE_STALE_MS = 15_000;
const ALERTS_SHOWN = 20;
/** A service that has just begun answers before its store is open. */
const ALERTS_AGAIN_MS = 2_000;
const DAY_MS = 86_400_000;

const state = {
  scene: null,
  room: null, // that is shown, of the scene's
  token: sessionStorage.getItem('csiflow-token'),
  live: null,
  connected: false,
  poses: null, // subscription to the frames of the room
  frame: null,
  frameAt: -Infinity,
  frameTime: null, // when the people were there, as the service said
  engineAt: -Infinity,
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

element('environment').addEventListener('change', ({ target }) => show(target.value));
addEventListener('popstate', () => state.scene && choose(named()));

start();

async function start() {
  if (state.token) await enter();
  else await loadScene();
  requestAnimationFrame(paint);
}

/** Topologies come and go, and with them rooms. Gives false where they are told to nobody without a login. */
async function loadScene() {
  const headers = state.token ? { Authorization: `Bearer ${state.token}` } : {};
  const response = await fetch('/scene.json', { headers });
  if (response.status === 401) return false;
  if (!response.ok) throw new Error(`/scene.json answered ${response.status}`);
  state.scene = await response.json();
  const { environments } = state.scene;
  // Its figures are those of the main topology, whose rooms come first.
  const several = new Set(environments.map(({ topology }) => topology)).size > 1;
  element('engine-title').textContent = several ? `Engine of ${environments[0].topology}` : 'Engine';
  element('environment').replaceChildren(...environments.map(({ id, name }) => new Option(name, id)));
  choose(named());
  return true;
}

/** Alerts of the last day, of all rooms: a page that was opened or reloaded shows what it would have heard. */
async function loadAlerts(live) {
  const asked = await Promise.allSettled(state.scene.environments.map(({ id }) => loadAlertsOf(id)));
  if (live !== state.live) return;
  const failed = asked.find(({ status }) => status === 'rejected');
  element('alerts-note').textContent = failed
    ? `Earlier alerts could not be loaded: ${failed.reason.message}`
    : '';
  if (!failed) return;
  setTimeout(() => live === state.live && state.connected && void loadAlerts(live), ALERTS_AGAIN_MS);
}

async function loadAlertsOf(environment) {
  const { rest } = clientOf({ token: state.token });
  const start = new Date(Date.now() - DAY_MS).toISOString();
  const query = {
    event_type: 'alert',
    start_time: start,
    per_page: ALERTS_SHOWN,
    environment_id: environment,
  };
  const ask = (page) => rest.GET('/analytics/events', { params: { query: { ...query, page } } });
  const { data: first } = await ask(1);
  // Oldest first: the newest are on the last pages.
  const last = first.pagination.total_pages;
  const pages = [...new Set([1, last - 1, last])].filter((page) => page > 1);
  const others = await Promise.all(pages.map(ask));
  for (const { data } of [{ data: first }, ...others]) for (const event of data.data) showStored(event);
}

const named = () => new URLSearchParams(location.search).get('environment');
const roomOf = (id) => state.scene.environments.find((environment) => environment.id === id);

/** Goes to a room, which stands in the address from now on. */
function show(id) {
  if (id === state.room.id) return;
  history.pushState(null, '', `?${new URLSearchParams({ environment: id })}`);
  choose(id);
}

/** Shows a room; the first one where there is none of that id. */
function choose(id) {
  const before = state.room?.id;
  state.room = roomOf(id) ?? state.scene.environments[0];
  const { id: chosen, name, size } = state.room;
  element('environment').value = chosen;
  element('size').textContent = `${size.x} x ${size.y} m`;
  document.title = `${name} - csiflow live`;
  if (chosen === before) return;
  state.frame = null;
  state.frameAt = -Infinity;
  state.frameTime = null;
  state.trails.clear();
  replaceItems('people', []);
  showNotes(null);
  if (state.live) followPoses();
}

const clientOf = (credentials) => createClient({ address: location.origin, form: 'b', credentials });

async function logIn(username, password) {
  state.token = await clientOf({ username, password }).token();
  sessionStorage.setItem('csiflow-token', state.token);
  element('login-error').textContent = '';
  await enter();
}

async function enter() {
  if (!(await loadScene())) {
    leave('The login has expired: please log in again.');
    return;
  }
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
  state.alerts = [];
  state.engineAt = -Infinity;
  element('alerts').replaceChildren();
  element('engine').replaceChildren();
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
      if (live !== state.live) return;
      state.connected = connected;
      if (connected) void reload().then(() => loadAlerts(live));
      else if (!again) leave('The login has expired: please log in again.');
    },
  });
  state.live = live;
  state.poses = null;
  followPoses();
  live.subscribe('alerts', { include_environment: true }, showAlert);
  live.subscribe('system_status', {}, ({ status }) => showEngine(status));
}

function followPoses() {
  state.poses?.close();
  const filters = { include_3d: true, environment_id: state.room.id };
  state.poses = state.live.subscribe('pose_updates', filters, showPose, (error) => {
    state.poses = null;
    replaceItems('people', [error.message]);
    void reload();
  });
}

/** The service may have been started with other topologies, or the room have gone with its own. */
async function reload() {
  try {
    await loadScene();
  } catch (error) {
    element('badge').title = `The rooms could not be loaded: ${error.message}`;
  }
}

function showPose({ timestamp, data }) {
  state.frame = data;
  state.frameAt = performance.now();
  state.frameTime = Date.parse(timestamp);
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

function showAlert({ alert_id, timestamp, alert_type, severity, data, environment_id: place }) {
  const { location, confidence, video_clip_url: clip } = data;
  const at = performance.now();
  addAlert({ id: alert_id, timestamp, type: alert_type, severity, place, at, location, confidence, clip });
}

/** One that the service stored. It is no news, so it does not flash in the room. */
function showStored({
  event_id: id,
  type,
  timestamp,
  severity,
  environment_id: place,
  confidence,
  location,
}) {
  const clip = `/api/v1/alerts/${timestamp}/${encodeURIComponent(id)}/clip`;
  addAlert({ id, timestamp, type, severity, place, at: -Infinity, location, confidence, clip });
}

/** The newest first. */
function addAlert(alert) {
  if (state.alerts.some(({ id }) => id === alert.id)) return;
  const earlier = state.alerts.findIndex(({ timestamp }) => timestamp <= alert.timestamp);
  const place = earlier < 0 ? state.alerts.length : earlier;
  if (place >= ALERTS_SHOWN) return;
  state.alerts.splice(place, 0, alert);
  element('alerts').insertBefore(alertItem(alert), element('alerts').children[place] ?? null);
  state.alerts.length = Math.min(state.alerts.length, ALERTS_SHOWN);
  while (element('alerts').children.length > ALERTS_SHOWN) element('alerts').lastChild.remove();
}

function alertItem({ timestamp, type, severity, place, confidence, clip }) {
  const item = document.createElement('li');
  const when = new Date(timestamp);
  const today = when.toDateString() === new Date().toDateString();
  const time = today ? when.toLocaleTimeString() : when.toLocaleString();
  item.textContent = `${time} ${type.replaceAll('_', ' ')} (${severity}), confidence ${Math.round(confidence * 100)} % `;
  if (state.scene.environments.length > 1)
    item.prepend(
      buttonOf(roomOf(place)?.name ?? place, () => show(place)),
      ' ',
    );
  item.append(buttonOf('Show', () => showClip(clip)));
  return item;
}

function buttonOf(text, press) {
  const button = textElement('button', text);
  button.type = 'button';
  button.addEventListener('click', press);
  return button;
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
  state.engineAt = performance.now();
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
  const notes = state.room.assumed.map((note) => `Assumed: ${note}`);
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

/** What is old is grey, and says how old: nobody is to take it for the state of now. */
function showAges(now, stale) {
  const since = state.frameTime === null ? null : Date.now() - state.frameTime;
  const age = stale && since !== null ? `as of ${ageText(since)} ago` : '';
  setStale('people', stale && state.frameTime !== null, age);
  const engineAge = now - state.engineAt;
  const silent = Number.isFinite(engineAge) && (!state.connected || engineAge > ENGINE_STALE_MS);
  setStale('engine', silent, silent ? `as of ${ageText(engineAge)} ago` : '');
}

function setStale(id, stale, age) {
  element(id).classList.toggle('stale', stale);
  if (element(`${id}-age`).textContent !== age) element(`${id}-age`).textContent = age;
}

function ageText(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

function paint(now) {
  const stale = now - state.frameAt > STALE_MS;
  if (stale) {
    element('badge').textContent = 'OFFLINE';
    element('badge').dataset.mode = 'OFFLINE';
  }
  element('room').classList.toggle('stale', stale);
  showAges(now, stale);
  for (const [person, trail] of state.trails) {
    while (trail.length > 0 && now - trail[0].at > TRAIL_MS) trail.shift();
    if (trail.length === 0) state.trails.delete(person);
  }
  if (state.room) paintRoom(now);
  requestAnimationFrame(paint);
}

function paintRoom(now) {
  fitRoom(element('room'), state.room);
  drawRoom(element('room'), state.room, {
    skeleton: state.scene.skeleton,
    persons: state.frame?.persons ?? [],
    trails: state.trails,
    alerts: state.alerts.filter(({ at, place }) => place === state.room.id && now - at < 15_000),
  });
}
