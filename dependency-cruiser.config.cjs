/** Layers: a module may import its own layer and those above it in this list. ARCHITECTURE.md draws the same list. */
const layers = [
  'pipeline/base',
  'pipeline/telemetry',
  'pipeline/model',
  'pipeline/component',
  'pipeline/kafka',
  'pipeline/formats',
  'pipeline/config',
  'pipeline/state',
  'pipeline/runtime',
  'pipeline/sources',
  'pipeline/testing',
  'operators',
  'sinks',
  'bench',
  'api/client',
  'api/service',
  'api/contract',
  'api/rest',
  'api/ws',
  'api/web',
  'api/components.ts',
  'api/plugins.ts',
  'api/topology-checks.ts',
  'api/topology-checks.worker.ts',
  'api/server.ts',
  'api/end-of-input.ts',
  'api/stray-errors.ts',
  'api/main.ts',
  'api/run.ts',
  'api/index.ts',
  'api/kafka.ts',
  'api/testing.ts',
  'api/cli',
];

/** The folders of large layers and of large operators, in the same way. */
const folders = {
  'pipeline/formats': ['contract', 'radio', 'senders', 'decoder', 'containers', 'json', 'tables', 'devices'],
  'pipeline/config': ['problems', 'reading', 'topology', 'schema', 'graph', 'tests', 'load', 'generated'],
  'pipeline/runtime': [
    'shared',
    'signals',
    'privacy',
    'nodes',
    'stages',
    'threads',
    'checkpoints',
    'dead-letters',
    'shard',
    'scale-out',
  ],
  'operators/infer-pose': [
    'inputs',
    'networks',
    'sights',
    'memory',
    'model',
    'people',
    'windows',
    'backends',
    'serving',
    'training',
  ],
  'operators/detect-falls': ['motion', 'impacts', 'networks', 'verdict', 'training'],
  'api/rest': [
    'requests',
    'accounts',
    'configuration',
    'topologies',
    'pose',
    'alerts',
    'analytics',
    'processing',
    'system',
    'endpoints.ts',
    'documents.ts',
    'serving',
  ],
};

/**
 * Folders whose files the folders within share. There, the files import none of the folders; everywhere else,
 * the folders import none of the files.
 */
const shared = [
  'pipeline/telemetry',
  'pipeline/kafka',
  'pipeline/sources',
  'sinks/shared',
  'bench/accuracy',
  'bench/accuracy/chain',
  'bench/speed',
  'bench/suite',
  'api/service',
  'api/cli',
  'api/cli/recordings',
];

/** The command's first file. It starts what the others of its folder share, so it composes folders as well. */
const ENTRY = 'api/cli/csiflow.ts';

/** A layer is a folder, or one file. */
const pathOf = (layer) => (layer.endsWith('.ts') ? `${layer.replace('.', '\\.')}$` : `${layer}/`);

/** One rule for each entry of a list: it does not import those after it. */
const ordered = (list) =>
  list.slice(0, -1).map((layer, index) => ({
    name: `layer-${layer.replaceAll('/', '-')}`,
    comment: `${layer} may not import what is below it in the lists of ARCHITECTURE.md: move the shared code up, or the importing file down.`,
    severity: 'error',
    from: { path: `^${pathOf(layer)}` },
    to: {
      path: `^(${list
        .slice(index + 1)
        .map(pathOf)
        .join('|')})`,
    },
  }));

/** The folders of a layer, in order; none is missing from the list. */
const orderedFolders = ([layer, names]) => {
  const paths = names.map((name) => `${layer}/${name}`);
  const rest = `^${layer}/(?!(${names.map((name) => pathOf(name)).join('|')}))`;
  const name = layer.replaceAll('/', '-');
  return [
    ...ordered(paths),
    {
      name: `every-folder-of-${name}`,
      comment: `Add the new folder to the folders of ${layer} in dependency-cruiser.config.cjs and ARCHITECTURE.md, or use one that exists.`,
      severity: 'error',
      from: { path: `${rest}[^/]+/` },
      to: {},
    },
  ];
};

/** Files that stand in the lists themselves: their order is ruled there. */
const listed = [
  ...layers,
  ...Object.entries(folders).flatMap(([layer, names]) => names.map((name) => `${layer}/${name}`)),
].filter((path) => path.endsWith('.ts'));

/** Folders are nested less deeply than this. */
const DEPTH = 8;

/** One rule for each depth: a folder imports no file beside it, nor beside a folder that it is in. */
const notUpward = Array.from({ length: DEPTH }, (_, index) => ({
  name: `not-upward-${index + 1}`,
  comment:
    'A file composes the folders beside it, so none of them imports it: move what both need into a folder of its own, or, if the files are what the folders share, add their folder to `shared` in dependency-cruiser.config.cjs.',
  severity: 'error',
  from: { path: `^(${'[^/]+/'.repeat(index + 1)})[^/]+/` },
  to: {
    path: '^$1[^/]+$',
    pathNot: `^(${shared.map((folder) => `${folder}/[^/]+`).join('|')}|${listed.map(pathOf).join('|')})$`,
  },
}));

module.exports = {
  forbidden: [
    ...ordered(layers),
    ...Object.entries(folders).flatMap(orderedFolders),
    ...notUpward,
    {
      name: 'not-downward',
      comment:
        'The folders within share these files, so the files import none of them: move this one into a folder.',
      severity: 'error',
      from: { path: `^(${shared.join('|')})/[^/]+$`, pathNot: pathOf(ENTRY) },
      to: { path: '^$1/[^/]+/' },
    },
    {
      name: 'every-folder-a-layer',
      comment:
        'Add the new folder or file to the layers in dependency-cruiser.config.cjs and ARCHITECTURE.md, or use one that exists.',
      severity: 'error',
      from: { path: '^(pipeline|api)/', pathNot: `^(${layers.map(pathOf).join('|')})` },
      to: {},
    },
    {
      name: 'no-circular',
      comment: 'Move what both files use into a file of its own.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circular-folders',
      comment:
        'No two folders import each other, nor do more of them in a ring: move what they share into one that imports neither.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-runtime-in-components',
      comment: 'Operators and sinks use the contracts of pipeline/component, not what runs them.',
      severity: 'error',
      from: { path: '^(operators|sinks)/' },
      to: { path: '^pipeline/runtime/' },
    },
    {
      name: 'pure-contract',
      comment:
        'Schemas and bodies depend on what they are given: api/contract imports types of api/service, and no values. Pass the value, or move it up.',
      severity: 'error',
      from: { path: '^api/contract/' },
      to: { path: '^api/service/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'operators-apart',
      comment:
        'Operators are independent of each other: move shared code to operators/shared or pipeline/model. Only training combines some of them, as a topology does.',
      severity: 'error',
      from: { path: '^operators/([^/]+)/', pathNot: '^operators/training/' },
      to: { path: '^operators/(?!shared/|training/)([^/]+)/', pathNot: '^operators/$1/' },
    },
    {
      name: 'sinks-apart',
      comment: 'Sinks are independent of each other: move shared code to sinks/shared or pipeline/model.',
      severity: 'error',
      from: { path: '^sinks/([^/.]+)' },
      to: { path: '^sinks/(?!shared/)([^/.]+)', pathNot: '^sinks/$1' },
    },
    {
      name: 'not-to-dev-dep',
      comment:
        'Code that ships imports no development dependency, except peers, and what build.config.mjs bundles: what the page imports, and OpenTelemetry.',
      severity: 'error',
      from: { path: '^(pipeline|operators|sinks|api)/', pathNot: '^api/web/page/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['npm-peer'],
        pathNot: '^node_modules/@opentelemetry/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '\\.d\\.ts$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
