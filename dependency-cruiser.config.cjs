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
  'api/main.ts',
  'api/run.ts',
  'api/index.ts',
  'api/kafka.ts',
  'api/testing.ts',
  'api/cli',
];

/** The folders of large layers, in the same way; files beside them may import all of them. */
const folders = {
  'pipeline/formats': ['contract', 'radio', 'senders', 'decoder', 'containers', 'json', 'tables', 'devices'],
  'pipeline/config': ['problems', 'reading', 'topology', 'schema', 'graph', 'tests', 'load', 'generated'],
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

/** The folders of a layer, in order; none is missing from the list, nor imports a file beside the folders. */
const orderedFolders = ([layer, names]) => {
  const paths = names.map((name) => `${layer}/${name}`);
  const within = paths.filter((path) => !path.endsWith('.ts'));
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
    {
      name: `not-upward-in-${name}`,
      comment: `The folders of ${layer} do not import the files beside them: move the shared code into a folder.`,
      severity: 'error',
      from: { path: `^(${within.join('|')})/` },
      to: { path: `${rest}[^/]+$` },
    },
  ];
};

module.exports = {
  forbidden: [
    ...ordered(layers),
    ...Object.entries(folders).flatMap(orderedFolders),
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
        'Code that ships imports no development dependency; only the page does, because it is bundled.',
      severity: 'error',
      from: { path: '^(pipeline|operators|sinks|api)/', pathNot: '^api/web/page/' },
      to: { dependencyTypes: ['npm-dev'] },
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
