import type { components } from './types/live.js';

type Messages = components['schemas'];
type Subscribe<C extends Channel> = Extract<Messages['subscribe'], { channel: C }>;

/** Messages of the service, by `type`. */
export type ServerMessages = Omit<Messages, 'subscribe' | 'unsubscribe' | 'ping'>;
export type Channel = Messages['subscribe']['channel'];
export type PoseFilters = NonNullable<Subscribe<'pose_updates'>['filters']>;
export type AlertFilters = NonNullable<Subscribe<'alerts'>['filters']>;

export interface Filters {
  readonly pose_updates: PoseFilters;
  readonly alerts: AlertFilters;
  readonly acknowledgements: { readonly environment_id?: string };
  readonly system_status: Readonly<Record<string, never>>;
}

export type LiveForm = 'a' | 'b';

type PoseData = Messages['pose_update']['data'];
interface PoseDataOf {
  readonly a: Extract<PoseData, { persons: { tracking_info: object }[] }>;
  readonly b: Extract<PoseData, { persons: { person_id: number }[] }>;
}

/** Persons have the shape of the client's form. */
export type PoseUpdate<F extends LiveForm> = Omit<Messages['pose_update'], 'data'> & {
  data: PoseDataOf[F];
};

export interface ChannelMessages<F extends LiveForm> {
  readonly pose_updates: PoseUpdate<F>;
  readonly alerts: Messages['alert'];
  readonly acknowledgements: Messages['alert_acknowledged'];
  readonly system_status: Messages['system_status'];
}

/** The part of a WebSocket in use: those of browsers and of `ws` have it. */
export interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

export type SocketClass = new (
  url: string,
  protocols: string[],
  options?: { headers: Record<string, string> },
) => Socket;

export interface LiveOptions {
  /** Headers are set only with a key, and browsers ignore them: there, use a token. */
  readonly WebSocket: SocketClass;
  /** Longest wait before it reconnects, milliseconds. */
  readonly maxWaitMs: number;
  /** Called when a connection opens, and with the reason when one ends: `again` says whether it will reconnect. */
  readonly onState: (state: LiveState) => void;
}

export type LiveState =
  | { readonly connected: true }
  | { readonly connected: false; readonly code: number; readonly reason: string; readonly again: boolean };

export interface LiveSubscription {
  /** Ends it. */
  close(): void;
}
