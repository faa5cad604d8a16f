import { existsSync } from 'node:fs';
import { codedError } from '../../base/error-text.js';

/** Where traces go, and which frames are sampled. From OpenTelemetry's own environment variables. */
export interface TraceSettings {
  /** Share of frames that are traced, 0 to 1. */
  readonly ratio: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Without OTEL_TRACES_SAMPLER: two traces a second at 2,000 frames a second. */
const DEFAULT_RATIO = 0.001;

/**
 * Null if no endpoint is set: nothing is traced. The exporter itself reads endpoint, headers, time limit and
 * certificates from the same variables.
 * @throws Error with code `traces.setting`, naming the variable. Never shows its value if it can hold a
 * password.
 */
export function traceSettings(env: Environment): TraceSettings | null {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return null;
  if (env['OTEL_TRACES_EXPORTER'] === 'none') return null;
  const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'].filter((name) =>
    env[name]?.trim(),
  );
  if (endpoints.length === 0) return null;
  for (const name of endpoints) checkEndpoint(name, env[name]!);
  checkProtocol(env);
  checkFiles(env);
  const ratio = readRatio(env);
  return ratio === 0 ? null : { ratio };
}

/** The exporter falls back to localhost if it cannot parse an address. */
function checkEndpoint(name: string, value: string): void {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return;
  throw refused(`${name} is not an address: use one such as http://127.0.0.1:4318`);
}

function checkProtocol(env: Environment): void {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']) {
    const value = env[name];
    if (value && value !== 'http/json')
      throw refused(
        `${name} is ${value}, but csiflow supports only http/json, which any collector accepts on port 4318`,
      );
  }
}

/** The exporter ignores a file that it cannot read. */
function checkFiles(env: Environment): void {
  for (const what of ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY']) {
    for (const name of [`OTEL_EXPORTER_OTLP_TRACES_${what}`, `OTEL_EXPORTER_OTLP_${what}`]) {
      const file = env[name];
      if (file && !existsSync(file)) throw refused(`${name} names ${file}, which does not exist`);
    }
  }
}

function readRatio(env: Environment): number {
  const sampler = env['OTEL_TRACES_SAMPLER'] ?? '';
  switch (sampler.replace(/^parentbased_/, '')) {
    case '':
    case 'traceidratio':
      return readNumber(env['OTEL_TRACES_SAMPLER_ARG']);
    case 'always_on':
      return 1;
    case 'always_off':
      return 0;
    default:
      throw refused(`OTEL_TRACES_SAMPLER must be traceidratio, always_on or always_off (got ${sampler})`);
  }
}

function readNumber(text: string | undefined): number {
  if (!text) return DEFAULT_RATIO;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw refused(`OTEL_TRACES_SAMPLER_ARG must be the share of frames to trace, 0 to 1 (got ${text})`);
}

const refused = (message: string) => codedError('traces.setting', message);
