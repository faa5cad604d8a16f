import { workerData } from 'node:worker_threads';
import { NetworkReach, parseTopology } from '../pipeline/config/index.js';
import { registryWith } from './plugins.js';
import { answerQuestions } from './service/threads/answer.js';
import type { CheckSettings, Question, WrittenResult } from './topology-checks.js';

const { plugins, secrets, ...grant } = workerData as CheckSettings;
const registry = await registryWith(plugins);

answerQuestions((question) => {
  const source = question as Question;
  const reach = new NetworkReach({ ...grant, folder: source.folder });
  const {
    topology,
    problems,
    hidden = [],
  } = parseTopology(source, registry, {
    env: process.env,
    secrets,
    reach,
  });
  // A component is code, which cannot be sent, so only its name is sent.
  const nodes = topology?.nodes.map(({ component: { kind, name }, ...node }) => ({ ...node, kind, name }));
  const answer: WrittenResult = { topology: topology && { ...topology, nodes: nodes! }, problems, hidden };
  return { answer };
});
