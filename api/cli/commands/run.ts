import type { Command } from 'commander';
import { CommandError, EXIT } from '../../../pipeline/base/exit.js';
import { portNumber } from '../number-options.js';

interface RunOptions {
  readonly host: string;
  readonly port: number;
  readonly form: string;
  readonly formOf: readonly string[];
  readonly api: boolean;
  readonly untilEnd: boolean;
  readonly log: string;
  readonly plugin: readonly string[];
  readonly allowVariable: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly allowHost: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly requireLogin: boolean;
  readonly identityProvider?: string;
  readonly limits?: string;
}

export function register(program: Command): void {
  program
    .command('run')
    .argument('<topology...>', 'files of topologies; the first is the main one')
    .description('Run topologies in one process and serve their results, until Ctrl-C.')
    .option('--host <address>', 'address that the API listens on', '127.0.0.1')
    .option('--port <number>', 'port of the API; 0 uses any free one', portNumber, 8000)
    .option('--form <a|b>', 'form of the answers of /api/v1', 'b')
    .option(
      '--form-of <path=form>',
      'form of one endpoint of /api/v1, such as /pose/latest=a; can be repeated',
      (given: string, before: readonly string[]) => [...before, given],
      [] as readonly string[],
    )
    .option('--no-api', 'run without the API')
    .option('--until-end', 'exit when all input has ended (recordings)', false)
    .option('--tls-cert <file>', 'PEM; with --tls-key the API speaks HTTPS')
    .option('--tls-key <file>', 'PEM')
    .option('--allow-host <name...>', 'host names of the API, besides localhost', [])
    .option(
      '--allow-origin <origin...>',
      'origins whose pages may call the API, such as https://dash.example',
      [],
    )
    .option('--require-login', "also require credentials for /metrics and for the live page's rooms", false)
    .option(
      '--identity-provider <file>',
      'JSON {jwks, issuer, audience, roleClaim} of an identity provider whose tokens are accepted besides our own',
    )
    .option(
      '--limits <file>',
      'JSON of rate limits that differ from the defaults: {pose_data: {requests, seconds}}',
    )
    .option(
      '--allow-variable <name...>',
      'environment variables that topologies sent over the network may use, besides those in the given files',
      [],
    )
    .option('--plugin <file...>', 'modules with your own components', [])
    .option('--log <debug|info|warn|error>', 'least severe level that is logged', 'info')
    .addHelpText(
      'after',
      '\nExample:\n  csiflow run topologies/demo.yaml\n  csiflow run topologies/esp32-udp.yaml --port 9000' +
        '\n  csiflow run ward.yaml hall.yaml kitchen.yaml',
    )
    .action(runFiles);
}

async function runFiles(files: readonly string[], options: RunOptions): Promise<void> {
  const [
    { runTopologies, variables },
    { readFormsOf, readIdentityProvider, readLimits, readTls },
    { loadTogether },
    { OwnersReach },
    { registryWith },
  ] = await Promise.all([
    import('../../main.js'),
    import('../service-options.js'),
    import('../topologies.js'),
    import('../../../pipeline/config/index.js'),
    import('../../plugins.js'),
  ]);
  const tls = readTls(options.tlsCert, options.tlsKey);
  const identityProvider = readIdentityProvider(options.identityProvider);
  const limits = readLimits(options.limits);
  const registry = await registryWith(options.plugin);
  const reach = new OwnersReach();
  const topologies = loadTogether(files, { ...variables(), reach }, registry);
  await runTopologies(
    { registry, plugins: options.plugin, reach, files, topologies },
    {
      host: options.host,
      port: options.port,
      form: readForm(options.form),
      formsOf: readFormsOf(options.formOf),
      api: options.api,
      untilEnd: options.untilEnd,
      level: readLevel(options.log),
      variables: options.allowVariable,
      hosts: options.allowHost,
      origins: options.allowOrigin,
      loginRequired: options.requireLogin,
      ...(tls && { tls }),
      ...(identityProvider && { identityProvider }),
      ...(limits && { limits }),
    },
  );
}

function readForm(text: string): 'a' | 'b' {
  if (text === 'a' || text === 'b') return text;
  throw new CommandError(`--form must be a or b, not ${text}`, EXIT.invalid);
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

function readLevel(text: string): (typeof LEVELS)[number] {
  const level = LEVELS.find((known) => known === text);
  if (level) return level;
  throw new CommandError(`--log must be one of ${LEVELS.join(', ')}, not ${text}`, EXIT.invalid);
}
