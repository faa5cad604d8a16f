import { dirname, isAbsolute, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { EnvironmentSchema, isTimeZone, type Environment, type Zone } from '../../model/index.js';
import { checkSchema } from '../schema/check-schema.js';
import { boundText, checkReach, readBounded } from '../reading/files.js';
import type { Location, Problems } from '../problems/problem.js';
import { asWritten, locationOf, mapScalars, type Path, type ScalarTree, type Tree } from '../reading/tree.js';
import { putInVariables, type VariableSources } from '../reading/variables.js';
import { readYaml } from '../reading/yaml.js';
import { warnOfShape } from './room-shape.js';

/** An environment and the location of each part. */
export interface LoadedEnvironment {
  readonly environment: Environment;
  readonly at: (path: Path) => Location;
}

/** A text that is to replace a file: the file as it would be. */
export interface UnsavedFile {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
}

/** An environment's file, whose own problems are located in it. */
export function loadEnvironment(
  named: ScalarTree,
  topology: {
    readonly shown: string;
    readonly folder: string;
    readonly unsaved?: UnsavedFile | undefined;
  },
  variables: VariableSources,
  problems: Problems,
): (LoadedEnvironment & { readonly file: string }) | undefined {
  const path = named.origin ? asWritten(named) : String(named.value);
  const shown = isAbsolute(path) ? path : join(dirname(topology.shown), path);
  const file = resolve(topology.folder, String(named.value));
  if (!checkReach(file, named, variables.reach, problems)) return undefined;
  const { unsaved } = topology;
  const sent = unsaved?.file === file ? unsaved.text : undefined;
  if (sent !== undefined) boundText(sent, shown, problems);
  const text = sent ?? readBounded(file, shown, problems, named.location);
  if (text === undefined) return undefined;
  const loaded = readEnvironment(text, shown, variables, problems, sent !== undefined);
  return loaded && { ...loaded, file };
}

/** The text by which the rules check an environment from a program, under the name that problems use. */
export const givenText = (environment: Environment, topology: string): { shown: string; text: string } => ({
  shown: `${topology}/environment ${environment.id}`,
  text: stringify(environment),
});

/** A text from the network may name no secret: rooms are shown to everybody who may see them. */
function refuseSecrets(tree: Tree, problems: Problems): void {
  mapScalars(tree, (scalar) => {
    if (typeof scalar.value === 'string' && scalar.value.includes('${secret:')) {
      const message =
        'an environment is shown to everybody who may see the room, so it cannot contain a secret';
      problems.add('config.environment.secret', scalar.location, message);
    }
    return scalar;
  });
}

/** An environment as YAML text. @param isSent by a request, rather than read from its file */
export function readEnvironment(
  text: string,
  shown: string,
  variables: VariableSources,
  problems: Problems,
  isSent = false,
): LoadedEnvironment | undefined {
  const before = problems.errors;
  const raw = readYaml(text, shown, problems);
  if (!raw) return undefined;
  if (isSent) refuseSecrets(raw, problems);
  if (isSent && problems.errors > before) return undefined;
  const tree = putInVariables(raw, variables, problems);
  const location: Location = { file: shown, line: 1, column: 1, length: 1 };
  const environment = checkSchema(tree, EnvironmentSchema, { name: 'the environment', location }, problems);
  if (environment === undefined) return undefined;
  return { environment: environment as Environment, at: (path) => locationOf(tree, path, location) };
}

/** Rules beyond one environment's schema: ids and senders are unique over all environments. */
export function checkEnvironments(loaded: readonly LoadedEnvironment[], problems: Problems): void {
  const environments = new Map<string, Location>();
  const links = new Map<string, Location>();
  const senders = new Map<string, Location>();
  for (const { environment, at } of loaded) {
    warnOfShape(environment, at, problems);
    const once = (
      seen: Map<string, Location>,
      key: string,
      location: Location,
      found: (first: Location) => void,
    ) => {
      const first = seen.get(key);
      if (first) found(first);
      else seen.set(key, location);
    };
    once(environments, environment.id, at(['id']), (first) => {
      const message = `an environment \`${environment.id}\` is already declared at ${written(first)}`;
      problems.add('config.environment.duplicate', at(['id']), message);
    });
    environment.links.forEach((link, index) => {
      const idLocation = at(['links', index, 'id']);
      once(links, link.id, idLocation, (first) => {
        const message = `a link \`${link.id}\` is already declared at ${written(first)}`;
        problems.add('config.link.duplicate', idLocation, message);
      });
      const senderLocation = at(['links', index, 'sender']);
      once(senders, link.sender, senderLocation, (first) => {
        const message = `\`${link.sender}\` is already the sender of the link declared at ${written(first)}`;
        problems.add('config.sender.duplicate', senderLocation, message);
      });
      if (link.transmitter.every((metre, axis) => metre === link.receiver[axis])) {
        const message = `transmitter and receiver of \`${link.id}\` are in the same place`;
        problems.add('config.link.length', at(['links', index, 'receiver']), message);
      }
    });
    if (!isTimeZone(environment.timezone)) {
      const message = `the time zone \`${environment.timezone}\` is unknown: write an IANA name such as \`Europe/Berlin\``;
      problems.add('config.environment.timezone', at(['timezone']), message);
    }
    const zones = new Map<string, Location>();
    environment.zones.forEach((zone, index) => {
      const location = at(['zones', index, 'id']);
      once(zones, zone.id, location, (first) => {
        problems.add(
          'config.zone.duplicate',
          location,
          `a zone \`${zone.id}\` is already declared at ${written(first)}`,
        );
      });
      const fault = heightFault(zone);
      if (fault) problems.add('config.zone.height', at(['zones', index, fault.field]), fault.message);
    });
  }
}

/** Why the heights of a zone are invalid. */
function heightFault({ id, kind, min_height: lowest, max_height: highest }: Zone): HeightFault | undefined {
  if (kind === 'pet' && highest === undefined)
    return {
      field: 'kind',
      message: `\`${id}\` is a pet area without \`max_height\`: everybody in it would be a pet`,
    };
  if (lowest === undefined || highest === undefined || lowest < highest) return undefined;
  return {
    field: 'max_height',
    message: `\`${id}\` reaches from ${lowest} m up to ${highest} m: nobody is in it`,
  };
}

interface HeightFault {
  readonly field: 'kind' | 'max_height';
  readonly message: string;
}

const written = (location: Location): string => `${location.file}:${location.line}:${location.column}`;
