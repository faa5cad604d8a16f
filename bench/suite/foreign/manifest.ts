import { dirname, resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import { checkSchema } from '../../../pipeline/config/schema/check-schema.js';
import { readBounded } from '../../../pipeline/config/reading/files.js';
import { Problems, type Problem } from '../../../pipeline/config/problems/problem.js';
import { locationOf } from '../../../pipeline/config/reading/tree.js';
import { readYaml } from '../../../pipeline/config/reading/yaml.js';
import { CONTRACTS, TASK_NAMES, type TaskName } from '../contracts.js';

/** A file that describes an external model. */
const ManifestSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 60, description: 'How the model is called in tables.' }),
    licence: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "The model's licence, as an SPDX name or in words.",
    }),
    source: Type.Optional(
      Type.String({ maxLength: 500, description: 'Where it comes from: a page or a paper.' }),
    ),
    task: Type.Union(
      TASK_NAMES.map((name) => Type.Literal(name)),
      { description: 'The task that it answers.' },
    ),
    runtime: Type.Union([Type.Literal('tfjs'), Type.Literal('onnx'), Type.Literal('kserve')], {
      description:
        'How it is run: `tfjs`, `onnx`, or `kserve`, a server that speaks the Open Inference Protocol 2 over HTTP.',
    }),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The folder with model.json (`tfjs`) or the file (`onnx`), relative to the folder of the manifest. `{fold}` stands for the person, room or chip that is held out.',
      }),
    ),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://[^/]+',
        description:
          'Address of the model (`kserve`): `http://HOST:PORT/v2/models/NAME`; `{fold}` as in `path`.',
      }),
    ),
    inputs: Type.Optional(
      Type.Record(Type.String(), Type.String({ minLength: 1 }), {
        description: "From the task's names of inputs to the model's own; left out: the same names.",
      }),
    ),
    output: Type.Optional(
      Type.String({ minLength: 1, description: "The model's name of its output; left out: its only one." }),
    ),
    classes: Type.Optional(
      Type.Array(Type.String(), {
        description: "The model's order of classes; left out: the task's.",
      }),
    ),
    trained_on: Type.Array(Type.String({ minLength: 1 }), {
      description:
        'What it was trained on. A folder of the suite, such as `labelled/esp32-presence`, marks its row.',
    }),
  },
  { additionalProperties: false },
);

export type Manifest = Omit<Static<typeof ManifestSchema>, 'task'> & {
  readonly task: TaskName;
  /** The manifest's own folder. */
  readonly folder: string;
};

/** A manifest, or all errors in its file. */
export type Loaded =
  | { readonly manifest: Manifest; readonly problems: readonly Problem[] }
  | { readonly manifest?: undefined; readonly problems: readonly Problem[] };

/** Reads and checks a manifest, YAML or JSON. Never throws for the file's content. */
export function loadManifest(file: string): Loaded {
  const problems = new Problems();
  const text = readBounded(file, file, problems);
  const tree = text === undefined ? undefined : readYaml(text, file, problems);
  if (!tree) return { problems: problems.list() };
  const start = { file, line: 1, column: 1, length: 1 };
  const subject = { name: 'the manifest', location: start };
  const written = checkSchema(tree, ManifestSchema, subject, problems) as
    Static<typeof ManifestSchema> | undefined;
  if (!written) return { problems: problems.list() };
  const manifest = { ...written, folder: dirname(resolve(file)) } as unknown as Manifest;
  for (const { path, message } of complaints(manifest))
    problems.add('config.value.invalid', locationOf(tree, path, start), message);
  return problems.errors > 0 ? { problems: problems.list() } : { manifest, problems: problems.list() };
}

interface Complaint {
  readonly path: readonly string[];
  readonly message: string;
}

/** Checks that span several fields. */
function complaints({ runtime, path, url, task, inputs, classes }: Manifest): readonly Complaint[] {
  const [needed, other] = runtime === 'kserve' ? (['url', 'path'] as const) : (['path', 'url'] as const);
  const given = { path, url };
  const { inputs: known, outputs, kind } = CONTRACTS[task];
  const found: Complaint[] = [];
  if (given[needed] === undefined)
    found.push({ path: ['runtime'], message: `\`${runtime}\` needs \`${needed}\`` });
  if (given[other] !== undefined)
    found.push({ path: [other], message: `\`${other}\` does not belong to \`${runtime}\`; remove it` });
  for (const name of Object.keys(inputs ?? {}))
    if (!(name in known))
      found.push({
        path: ['inputs', name],
        message: `the task ${task} has no input \`${name}\`; it has ${Object.keys(known).join(', ')}`,
      });
  if (!classes) return found;
  const same = [...classes].sort().join() === [...outputs].sort().join();
  if (kind === 'values')
    found.push({ path: ['classes'], message: `the task ${task} has no classes; remove it` });
  else if (!same)
    found.push({ path: ['classes'], message: `must be these, in the model's order: ${outputs.join(', ')}` });
  return found;
}
