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
    comment: `${layer} may not import what lies below it in the list of layers.`,
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
      comment: `A new folder of ${layer} gets its place in the list of its folders first.`,
      severity: 'error',
      from: { path: `${rest}[^/]+/` },
      to: {},
    },
    {
      name: `not-upward-in-${name}`,
      comment: `The folders of ${layer} do not import the files beside them.`,
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
      comment: 'A new folder or file gets its place in the list of layers first.',
      severity: 'error',
      from: { path: '^(pipeline|api)/', pathNot: `^(${layers.map(pathOf).join('|')})` },
      to: {},
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-circular-folders',
      comment: 'No two folders import each other, nor do more of them in a ring.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-runtime-in-components',
      comment: 'Operators and sinks know contracts (pipeline/component), not what runs them.',
      severity: 'error',
      from: { path: '^(operators|sinks)/' },
      to: { path: '^pipeline/runtime/' },
    },
    {
      name: 'one-operator-one-room',
      comment:
        'Operators are independent of each other; what they share lies in pipeline/model or operators/shared. Only training puts some of them together, as a topology does.',
      severity: 'error',
      from: { path: '^operators/([^/]+)/', pathNot: '^operators/training/' },
      to: { path: '^operators/(?!shared/|training/)([^/]+)/', pathNot: '^operators/$1/' },
    },
    {
      name: 'one-sink-one-room',
      severity: 'error',
      from: { path: '^sinks/([^/.]+)' },
      to: { path: '^sinks/(?!shared/)([^/.]+)', pathNot: '^sinks/$1' },
    },
    {
      name: 'not-to-dev-dep',
      comment: 'The page is bundled with what it uses.',
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
