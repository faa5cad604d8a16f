/** Layers: a module may import its own layer and those above it in this list. */
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
  'api',
];

const upward = layers.map((layer, index) => ({
  name: `layer-${layer.replace('/', '-')}`,
  comment: `${layer} may not import what lies below it in the list of layers.`,
  severity: 'error',
  from: { path: `^${layer}/` },
  to: { path: `^(${layers.slice(index + 1).join('|') || 'none'})/` },
}));

module.exports = {
  forbidden: [
    ...upward,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'one-operator-one-room',
      comment:
        'Operators are independent of each other; what they share lies in pipeline/model or operators/shared.',
      severity: 'error',
      from: { path: '^operators/([^/]+)/' },
      to: { path: '^operators/(?!shared/)([^/]+)/', pathNot: '^operators/$1/' },
    },
    {
      name: 'one-sink-one-room',
      severity: 'error',
      from: { path: '^sinks/([^/.]+)' },
      to: { path: '^sinks/(?!shared/)([^/.]+)', pathNot: '^sinks/$1' },
    },
    {
      name: 'not-to-dev-dep',
      severity: 'error',
      from: { path: '^(pipeline|operators|sinks|api)/' },
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
