import { dirname, resolve } from 'node:path';
import type { Registry } from '../../component/index.js';
import { DEFAULT_DOMAIN, type Domain, type Environment } from '../../model/index.js';
import { checkSchema } from '../schema/check-schema.js';
import { checkClaims } from '../graph/claims.js';
import {
  checkEnvironments,
  givenText,
  loadEnvironment,
  readEnvironment,
  type LoadedEnvironment,
  type UnsavedFile,
} from './environments.js';
import { readBounded } from '../reading/files.js';
import { OutlineSchema, SettingsSchema } from '../schema/topology-schema.js';
import { readContents } from '../graph/contents.js';
import { linkNodes } from '../graph/graph.js';
import { warnOfLostLevels } from '../graph/levels.js';
import { checkMeasurements } from '../graph/measurements.js';
import { warnOfMixedTimes } from '../graph/mixed-times.js';
import { withHash, withHashes } from '../topology/hash.js';
import { checkFiles, defaultStateFolder } from '../graph/node-files.js';
import { readNodes, type LinkedNode } from '../graph/nodes.js';
import { Problems, type Problem } from '../problems/problem.js';
import type { Hidden } from '../problems/redact.js';
import { warnOfLoss, warnOfNoSinks } from '../graph/warnings.js';
import { checkScaleOut } from '../graph/scale-out.js';
import type { WrittenTest } from '../schema/test-schema.js';
import type { CheckedTest } from '../tests/test-case.js';
import { checkTests } from '../tests/tests.js';
import type { CheckedNode, CheckedTopology, Settings } from '../topology/topology.js';
import { keyLocationOf, locationOf, valueAt, type MapTree, type Tree } from '../reading/tree.js';
import { putInVariables, type VariableSources } from '../reading/variables.js';
import { checkPrivacy, privacyOf, type WrittenPrivacy } from '../graph/privacy.js';
import { readYaml } from '../reading/yaml.js';

export type LoadOptions = VariableSources;

/** A topology (possibly with warnings) and its tests, or all problems of its file. */
export type LoadResult =
  | {
      readonly topology: CheckedTopology;
      readonly tests?: readonly CheckedTest[];
      readonly problems: readonly Problem[];
      /** Values of the topology that no message may show. */
      readonly hidden?: readonly Hidden[];
    }
  | {
      readonly topology?: undefined;
      readonly tests?: undefined;
      readonly problems: readonly Problem[];
      readonly hidden?: undefined;
    };

/**
 * Reads and checks a topology's YAML file and the files of its environments. Never throws for their content;
 * reports all problems, not just the first.
 * @param file as problems name it; relative to the working folder.
 */
export function loadTopology(file: string, registry: Registry, options: LoadOptions): LoadResult {
  const problems = new Problems();
  const text = readBounded(file, file, problems);
  if (text === undefined) return { problems: problems.list() };
  return check(
    { text, shown: file, file: resolve(file), folder: dirname(resolve(file)) },
    registry,
    options,
    problems,
  );
}

/** Origin of a topology's text. */
export interface TopologyText {
  readonly text: string;
  /** The file's name in problems. */
  readonly shown: string;
  /** Absolute; null if there is no file. */
  readonly file: string | null;
  /** Absolute folder that relative paths are resolved against. */
  readonly folder: string;
  /** Passed by the caller rather than named in the text. */
  readonly environments?: readonly Environment[] | undefined;
  /** An environment's file with a text that is not saved yet. */
  readonly unsaved?: UnsavedFile | undefined;
}

/** The same for a text: of a request, a builder, an editor. */
export function parseTopology(source: TopologyText, registry: Registry, options: LoadOptions): LoadResult {
  return check(source, registry, options, new Problems());
}

function check(
  source: TopologyText,
  registry: Registry,
  options: LoadOptions,
  problems: Problems,
): LoadResult {
  problems.written = [source.text, source.unsaved?.text ?? ''].join('\n');
  const raw = readYaml(source.text, source.shown, problems);
  const root = raw && putInVariables(raw, options, problems);
  const start = { file: source.shown, line: 1, column: 1, length: 1 };
  if (!root) return { problems: problems.list() };
  const outline = checkSchema(root, OutlineSchema, { name: 'the topology', location: start }, problems) as
    Outline | undefined;
  if (root.kind !== 'map') return { problems: problems.list() };
  const { environments, files } = readEnvironments(root, source, options, problems);
  const linked = linkNodes(readNodes(root, registry, problems), registry, problems);
  checkClaims(linked, source.folder, root, problems);
  const open = checkFiles(root, linked, source.folder, options.reach, problems);
  checkMeasurements(linked, source.folder, open, problems);
  warnOfLostLevels(linked, problems);
  const contents = readContents(root, linked, source, open, problems);
  const settings = readSettings(root, source);
  if (settings) warnOfLoss(linked, settings, root, problems);
  warnOfMixedTimes(linked, problems);
  warnOfNoSinks(root, linked, problems);
  if (settings?.privacy)
    checkPrivacy(
      linked,
      environments,
      settings,
      (field) => locationOf(root, ['settings', 'privacy', field]),
      problems,
    );
  if (settings?.scaleOut)
    checkScaleOut(linked, settings, (field) => locationOf(root, ['settings', field]), problems);
  const tests = outline
    ? readTests(root, outline.tests ?? [], linked, source, registry, options, problems)
    : [];
  if (problems.errors > 0 || !outline || !settings) return { problems: problems.list() };
  const topology = finish(outline.id, source, { environments, files }, linked, contents, settings);
  return { topology, tests, problems: problems.list(), hidden: problems.hidden };
}

interface Outline {
  readonly id: string;
  readonly tests?: readonly WrittenTest[];
}

function readTests(
  root: MapTree,
  written: readonly WrittenTest[],
  linked: readonly LinkedNode[],
  { folder }: TopologyText,
  registry: Registry,
  { reach }: LoadOptions,
  problems: Problems,
): readonly CheckedTest[] {
  const tree = valueAt(root, ['tests']);
  if (!tree) return [];
  const nodes = linked.map(({ draft: { id, component, config }, inputs }) => ({
    id,
    component,
    config,
    inputs,
  }));
  return checkTests(tree, written, { nodes, registry, folder, reach }, problems);
}

function readEnvironments(
  root: MapTree,
  source: TopologyText,
  options: LoadOptions,
  problems: Problems,
): Sensed {
  const one = root.fields.get('environment');
  const several = root.fields.get('environments');
  const whole = keyLocationOf(root, ['id'], { ...root.location, length: 1 });
  if (one && several) {
    problems.add(
      'config.environment.both',
      several.location,
      '`environment` and `environments` are both set; remove one',
    );
  }
  if (source.environments)
    return {
      environments: givenEnvironments(source.environments, source.shown, options, problems),
      files: {},
    };
  if (!one && !several) {
    problems.add(
      'config.environment.missing',
      whole,
      'the topology names no `environment`, the room that it senses',
    );
  }
  const files: readonly Tree[] = one
    ? [one.value]
    : several?.value.kind === 'list'
      ? several.value.items
      : [];
  const loaded: (LoadedEnvironment & { readonly file: string })[] = [];
  for (const file of files) {
    if (file.kind !== 'scalar' || typeof file.value !== 'string' || file.value === '') continue;
    const environment = loadEnvironment(file, source, options, problems);
    if (environment) loaded.push(environment);
  }
  checkEnvironments(loaded, problems);
  return {
    environments: loaded.map(({ environment }) => environment),
    files: Object.fromEntries(loaded.map(({ environment, file }) => [environment.id, file])),
  };
}

/** The environments of a topology, and their files by id. */
interface Sensed {
  readonly environments: readonly Environment[];
  readonly files: Readonly<Record<string, string>>;
}

/** Environments from a program follow the same rules as those of files. */
function givenEnvironments(
  given: readonly Environment[],
  shown: string,
  options: LoadOptions,
  problems: Problems,
): readonly Environment[] {
  const loaded = given.flatMap((environment) => {
    const { text, shown: name } = givenText(environment, shown);
    return readEnvironment(text, name, options, problems) ?? [];
  });
  checkEnvironments(loaded, problems);
  return loaded.map(({ environment }) => environment);
}

/** Undefined if they are wrong, which an earlier check has reported. */
function readSettings(root: MapTree, source: TopologyText): Settings | undefined {
  const written: Tree = valueAt(root, ['settings']) ?? { ...root, fields: new Map() };
  const subject = { name: '`settings`', location: written.location };
  const checked = checkSchema(written, SettingsSchema, subject, new Problems());
  if (checked === undefined) return undefined;
  const values = checked as {
    checkpoint_interval_ms: number;
    journal: boolean;
    degraded_after_failures: number;
    stop_after_failures: number | null;
    late_after_ms: number;
    max_lag_ms: number | null;
    clock_jump_ms: number;
    state_folder?: string;
    accounts_folder?: string;
    advertised_address?: string;
    outbox_limit_bytes: number;
    seed: number;
    domain: Domain;
    privacy?: WrittenPrivacy;
    scale_out: boolean;
    threads: number;
  };
  return {
    checkpointIntervalMs: values.checkpoint_interval_ms,
    journal: values.journal,
    degradedAfterFailures: values.degraded_after_failures,
    stopAfterFailures: values.stop_after_failures,
    lateAfterMs: values.late_after_ms,
    maxLagMs: values.max_lag_ms,
    clockJumpMs: values.clock_jump_ms,
    stateFolder: resolve(source.folder, values.state_folder ?? defaultStateFolder(root)),
    ...(values.accounts_folder !== undefined && {
      accountsFolder: resolve(source.folder, values.accounts_folder),
    }),
    ...(values.advertised_address !== undefined && { advertisedAddress: values.advertised_address }),
    outboxLimitBytes: values.outbox_limit_bytes,
    seed: values.seed,
    ...(values.domain !== DEFAULT_DOMAIN && { domain: values.domain }),
    ...(values.scale_out && { scaleOut: true }),
    ...(values.threads > 0 && { threads: values.threads }),
    ...privacyOf(values.privacy),
  };
}

function finish(
  id: string,
  { file, folder }: TopologyText,
  { environments, files }: Sensed,
  linked: readonly LinkedNode[],
  contents: ReadonlyMap<string, string>,
  settings: Settings,
): CheckedTopology {
  const nodes = linked.map((node) => finishNode(node, contents.get(node.draft.id)));
  return withHash({ id, file, folder, environments, environmentFiles: files, nodes, settings });
}

function finishNode({ draft, inputs }: LinkedNode, contents: string | undefined): CheckedNode {
  const { id, component, config, queue, enabled, secrets } = draft;
  if (!component || !config) throw new Error(`node ${id} passed the checks without a component`);
  return withHashes({
    ...{ id, component, config, inputs, queue, secrets },
    ...(contents !== undefined && { contents }),
    ...(!enabled && { enabled }),
  });
}
