import { signal } from '@preact/signals';

export type Position = readonly [x: number, y: number, z: number];

export interface Zone {
  readonly id: string;
  readonly name?: string;
  readonly kind?: string;
  readonly polygon: readonly (readonly [number, number])[];
}

/** An environment as returned by `/scene.json`: metres, x to the right, y away from the viewer, z up. */
export interface Room {
  readonly id: string;
  readonly topology: string;
  readonly name: string;
  readonly size: { readonly x: number; readonly y: number; readonly z: number };
  readonly walls: readonly {
    readonly from: readonly [number, number];
    readonly to: readonly [number, number];
  }[];
  readonly zones: readonly Zone[];
  readonly links: readonly {
    readonly id: string;
    readonly transmitter: Position;
    readonly receiver: Position;
  }[];
  readonly assumed: readonly string[];
  /** Whether its topology sends poses to the page; `unsent`: no `websocket` reads them. */
  readonly poses: 'sent' | 'unsent' | 'none';
  /** Whether its topology has a store. */
  readonly stored: boolean;
}

export interface Scene {
  /** Pairs of keypoints that are connected by lines. */
  readonly skeleton: readonly (readonly [number, number])[];
  readonly environments: readonly Room[];
}

export const VIEWS = ['room', 'links', 'topology', 'history', 'environment', 'settings'] as const;
export type View = (typeof VIEWS)[number];

export const scene = signal<Scene | null>(null);
/** The displayed room of the scene. */
export const room = signal<Room | null>(null);
export const view = signal<View>('room');

/**
 * Topologies and their rooms can be added and removed. Returns false if a login is required.
 * @throws Error with the status
 */
export async function loadScene(token: string | null): Promise<boolean> {
  const response = await fetch('/scene.json', {
    headers: token === null ? {} : { Authorization: `Bearer ${token}` },
  });
  if (response.status === 401) return false;
  if (!response.ok) throw new Error(`/scene.json answered ${response.status}`);
  const text = await response.text();
  // Drawn anew only if something has changed.
  if (text !== loaded || scene.value === null) {
    loaded = text;
    scene.value = JSON.parse(text) as Scene;
    readAddress();
  }
  return true;
}

/** The scene as it was answered. */
let loaded = '';

export const roomNamed = (id: string): Room | undefined =>
  scene.value?.environments.find((environment) => environment.id === id);

/** The address contains room and view, so that they can be linked to: `?environment=hall&view=links`. */
export function readAddress(): void {
  const query = new URLSearchParams(location.search);
  view.value = VIEWS.find((one) => one === query.get('view')) ?? 'room';
  room.value = roomNamed(query.get('environment') ?? '') ?? scene.value?.environments[0] ?? null;
  if (room.value) document.title = `${room.value.name} - csiflow live`;
}

/** Switches to a room or a view; the other one is unchanged. */
export function goTo(to: { readonly environment?: string; readonly view?: View }): void {
  const query = new URLSearchParams(location.search);
  if (to.environment !== undefined) query.set('environment', to.environment);
  if (to.view === 'room') query.delete('view');
  else if (to.view) query.set('view', to.view);
  if (`?${query}` === location.search) return;
  history.pushState(null, '', `?${query}`);
  readAddress();
  // A view begins at its top, also if it was opened by a button further down.
  if (to.view) scrollTo(0, 0);
}
