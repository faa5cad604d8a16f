import { signal } from '@preact/signals';
import { roomNamed } from './scene.js';

const SOUND = 'csiflow-sound';

/** Whether new alerts play a sound. Browsers allow sound only after a click on the page. */
export const sound = signal(localStorage.getItem(SOUND) !== 'off');
/** Whether the browser shows notifications while the page is hidden. */
export const notifications = signal<NotificationPermission | 'unsupported'>(
  'Notification' in globalThis ? Notification.permission : 'unsupported',
);

export function toggleSound(): void {
  sound.value = !sound.value;
  localStorage.setItem(SOUND, sound.value ? 'on' : 'off');
  if (sound.value) beep();
}

export async function askForNotifications(): Promise<void> {
  notifications.value = await Notification.requestPermission();
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
  show(title, { tag: id, requireInteraction: true });
}

function show(title: string, options: NotificationOptions): void {
  try {
    const shown = new Notification(title, options);
    shown.onclick = () => {
      globalThis.focus();
    };
  } catch (error) {
    // Browsers on phones have the constructor, and refuse to use it.
    if (!(error instanceof TypeError)) throw error;
    showByWorker(title, options).catch(reportError);
  }
}

/** Computers use no worker: browsers refuse one if the service's certificate is not from a known authority. */
async function showByWorker(title: string, options: NotificationOptions): Promise<void> {
  await navigator.serviceWorker.register('/notifications.js');
  const registration = await navigator.serviceWorker.ready;
  await registration.showNotification(title, options);
}

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
