import type {
  Component,
  ConvertedSetting,
  NetworkFacts,
  Role,
  SettingName,
  SettingNode,
} from '../../../pipeline/component/index.js';
import type { CheckedNode, CheckedTopology, NodeOverride } from '../../../pipeline/config/index.js';
import { inputOf } from '../../../pipeline/runtime/listen.js';
import type { Bounds, Field, Value } from './field.js';

/** How a node applies a setting: declared by its component. */
type Answer = 'enabled' | ConvertedSetting;

const AS_IT_IS: Pick<ConvertedSetting, 'show' | 'store'> = {
  show: (stored) => stored as Value,
  store: (value) => value,
};

function answerOf({ settings }: Component, name: SettingName): Answer | undefined {
  const declared = settings?.[name];
  if (declared === undefined || declared === 'enabled' || typeof declared === 'object') return declared;
  return { field: declared, ...AS_IT_IS };
}

/** Nodes of a topology that apply a setting, in its order. */
export const answering = ({ nodes }: CheckedTopology, name: SettingName): readonly CheckedNode[] =>
  nodes.filter(({ component }) => component.settings?.[name] !== undefined);

/** Nodes of this part of the system. */
export const nodesAs = ({ nodes }: CheckedTopology, role: Role): readonly CheckedNode[] =>
  nodes.filter(({ component }) => component.role === role);

/** The pose network that a measurement of a room calibrates, and the node whose windows it reads. */
export interface CalibratedNetwork {
  readonly node: CheckedNode;
  readonly windows: string;
}

/** The first pose network that reads windows and can name a calibration file; undefined if there is none. */
export function calibratedNetwork(topology: CheckedTopology): CalibratedNetwork | undefined {
  for (const node of nodesAs(topology, 'pose-network')) {
    const windows = inputOf(node, 'window');
    if (windows !== undefined && 'calibration' in node.component.config.properties) return { node, windows };
  }
  return undefined;
}

/** Declared by the component of a pose network. */
export const networkOf = ({ component }: CheckedNode): NetworkFacts | undefined =>
  component.kind === 'operator' ? component.network : undefined;

/** A field of the configuration that several nodes apply: all of them are set, the first one is shown. */
export const setting = (
  name: SettingName,
): Pick<Field, 'name' | 'read' | 'missing' | 'isImmediate' | 'write'> => ({
  name,
  missing: (topology) => missing(name, topology),
  isImmediate: (topology) => answering(topology, name).every(({ component }) => takesOver(component, name)),
  read: ({ topology }) => {
    const [node] = answering(topology, name);
    return read(node!, answerOf(node!.component, name)!, name, topology);
  },
  write: (value, topology) => ({
    nodes: new Map(
      answering(topology, name).map((node) => [
        node.id,
        written(node, answerOf(node.component, name)!, value, topology),
      ]),
    ),
  }),
});

function missing(name: SettingName, topology: CheckedTopology): string | null {
  const nodes = answering(topology, name);
  if (nodes.length === 0) return `no node of the topology ${topology.id} applies it (docs/configuration.md)`;
  const counts = nodes.map(({ component }) => answerOf(component, name));
  const inFrames = counts.some((answer) => answer !== 'enabled' && answer?.inFrames === true);
  return inFrames && Number.isNaN(frameMsOf(topology))
    ? `the topology ${topology.id} has no node that divides time into frames, such as window`
    : null;
}

/** Whether a running node applies the setting without a restart. */
function takesOver(component: Component, name: SettingName): boolean {
  const answer = answerOf(component, name)!;
  return answer === 'enabled' || component.liveFields?.some((field) => field === answer.field) === true;
}

function read(node: CheckedNode, answer: Answer, name: SettingName, topology: CheckedTopology): Value {
  if (answer === 'enabled') return answering(topology, name).some(({ enabled }) => enabled !== false);
  return answer.show(node.config[answer.field], seen(node, topology));
}

function written(node: CheckedNode, answer: Answer, value: Value, topology: CheckedTopology): NodeOverride {
  if (answer === 'enabled') return { enabled: value === true };
  return { config: { [answer.field]: answer.store(value, seen(node, topology)) } };
}

const seen = ({ config }: CheckedNode, topology: CheckedTopology): SettingNode => ({
  config,
  frameMs: frameMsOf(topology),
});

function frameMsOf({ nodes }: CheckedTopology): number {
  for (const { component, config } of nodes)
    if (component.kind === 'operator' && component.frameField) return config[component.frameField] as number;
  return NaN;
}

/** The values that all nodes accept. */
export function boundsOf(name: SettingName, topology: CheckedTopology): Bounds {
  const all = answering(topology, name).map((node) => boundsAt(node, name, topology));
  const minimum = Math.max(...all.map(({ minimum = -Infinity }) => minimum));
  const maximum = Math.min(...all.map(({ maximum = Infinity }) => maximum));
  return { ...(minimum > -Infinity && { minimum }), ...(maximum < Infinity && { maximum }) };
}

function boundsAt(node: CheckedNode, name: SettingName, topology: CheckedTopology): Bounds {
  const answer = answerOf(node.component, name)!;
  if (answer === 'enabled') return {};
  const { minimum, maximum } = (node.component.config.properties[answer.field] ?? {}) as Bounds;
  if (answer.show === AS_IT_IS.show)
    return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
  // The largest whole number of frames within the field's range.
  return answer.inFrames === true && maximum !== undefined
    ? { maximum: Math.floor(maximum / frameMsOf(topology)) }
    : {};
}
