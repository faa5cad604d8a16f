import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { packageFile } from '../../../pipeline/base/paths.js';
import { freePorts, serverFolder, servicesFolder } from './server.js';

const PYTHON = join(servicesFolder, 'home-assistant-2026.2.3/venv/bin/python');

/** Whether `.ci/services.sh home-assistant` has installed it. */
export const hasHomeAssistant = existsSync(PYTHON);

/** What Home Assistant shows its user. */
export interface Shown {
  /** By entity id. */
  readonly states: Readonly<
    Record<string, { readonly state: string; readonly attributes: Record<string, unknown> }>
  >;
  /** Entity ids by unique id. */
  readonly entities: Readonly<Record<string, string>>;
  readonly devices: readonly string[];
  /** What its MQTT integration could not accept. */
  readonly complaints: readonly string[];
}

export interface HomeAssistant {
  look(): Promise<Shown>;
  stop(): Promise<void>;
}

/** Starts Home Assistant's core with its MQTT integration, connected to a broker on this machine. */
export async function startHomeAssistant(
  broker: number,
  user: string,
  password: string,
): Promise<HomeAssistant> {
  const folder = await serverFolder('home-assistant');
  const [http] = await freePorts(1);
  const script = packageFile('test/services/children/home_assistant.py');
  const child = spawn(PYTHON, [script, folder, String(broker), String(http), user, password], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  return {
    look: async () => {
      child.stdin.write('\n');
      const line = (await lines.next()) as IteratorResult<string, undefined>;
      if (line.done) throw new Error(`Home Assistant has ended:\n${errors}`);
      return JSON.parse(line.value) as Shown;
    },
    stop: async () => {
      child.stdin.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
