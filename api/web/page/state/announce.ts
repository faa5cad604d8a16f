import { signal } from '@preact/signals';
import { goTo, roomNamed } from './scene.js';
import { errorText } from '../../../client/errors.js';

const SOUND = 'csiflow-sound';
/** Set if the browser shows only notifications of a service worker. */
const BY_WORKER = 'csiflow-notifications-by-worker';

/** Whether new alerts play a sound. Browsers allow sound only after a click on the page. */
export const sound = signal(localStorage.getItem(SOUND) !== 'off');
/** Whether the browser shows notifications while the page is hidden. */
export const notifications = signal<NotificationPermission | 'unsupported'>(
  'Notification' in globalThis ? Notification.permission : 'unsupported',
);
/** Why the browser shows none. */
export const notificationsProblem = signal('');

export function toggleSound(): void {
  sound.value = !sound.value;
  localStorage.setItem(SOUND, sound.value ? 'on' : 'off');
  if (sound.value) beep();
}

/** Also shows one, so that a user who relies on them sees whether they work. */
export async function askForNotifications(): Promise<void> {
  notifications.value = await Notification.requestPermission();
  if (notifications.value === 'granted') show('Alerts will appear here', { tag: 'csiflow' });
  else if (notifications.value === 'denied')
    notificationsProblem.value =
      'The browser refuses notifications of this page; its settings can allow them.';
}

export const wordsOf = (type: string): string => type.replaceAll('_', ' ');

/** Announces a new alert by sound and notification. */
export function announce({
  type,
  environment,
  id,
}: {
  readonly id: string;
  readonly type: string;
  readonly environment: string;
}): void {
  if (sound.value) beep();
  if (notifications.value !== 'granted' || document.visibilityState === 'visible') return;
  const title = `${wordsOf(type)}: ${roomNamed(environment)?.name ?? environment}`;
  show(title, { tag: id, requireInteraction: true }, environment);
}

function show(title: string, options: NotificationOptions, environment?: string): void {
  try {
    const shown = new Notification(title, options);
    shown.onclick = () => {
      globalThis.focus();
      openRoom(environment);
    };
  } catch (error) {
    // Browsers on phones have the constructor, and refuse to use it.
    if (!(error instanceof TypeError)) throw error;
    localStorage.setItem(BY_WORKER, 'yes');
    void withWorker((worker) => worker.showNotification(title, { ...options, data: { environment } }));
  }
}

/**
 * Only for browsers that require it: others show notifications also where they refuse a worker, because they do not
 * trust the service's certificate.
 */
async function withWorker(use: (worker: ServiceWorkerRegistration) => Promise<void>): Promise<void> {
  try {
    await navigator.serviceWorker.register('/notifications.js');
    await use(await navigator.serviceWorker.ready);
    notificationsProblem.value = '';
  } catch (error) {
    notificationsProblem.value = `No notifications can be shown. On phones, the browser must trust the certificate of this address: ${errorText(error)}`;
  }
}

function openRoom(environment: string | undefined): void {
  if (environment !== undefined && roomNamed(environment)) goTo({ environment, view: 'room' });
}

// The permission was given earlier; the certificate may have changed.
if (notifications.value === 'granted' && localStorage.getItem(BY_WORKER) !== null)
  void withWorker(() => Promise.resolve());
// After a tap on a notification. Unsafe origins have no workers.
if ('serviceWorker' in navigator)
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<{ environment?: string }>) => {
    openRoom(data.environment);
  });

/** Two rising tones, half a second. Silent until the first click on the page. */
function beep(): void {
  if (!navigator.userActivation.hasBeenActive) return;
  const audio = new AudioContext();
  const volume = audio.createGain();
  volume.gain.value = 0.2;
  volume.connect(audio.destination);
  for (const [index, hertz] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = hertz;
    tone.connect(volume);
    tone.start(audio.currentTime + index * 0.25);
    tone.stop(audio.currentTime + index * 0.25 + 0.2);
    if (index === 1) tone.onended = () => void audio.close();
  }
}
