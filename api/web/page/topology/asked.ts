import { service } from '../state/session.js';

export async function topologyOf(id: string) {
  const { data } = await service().rest.GET('/topologies/{id}', { params: { path: { id } } });
  return { ...data!.data, asked: performance.now() };
}
export type Topology = Awaited<ReturnType<typeof topologyOf>>;
export type Node = Topology['nodes'][number];

/** @param ids of the nodes, as far as they are known: others trigger a new request */
export async function graphOf(id: string, ids: string) {
  const { data } = await service().rest.GET('/topologies/{id}/graph', { params: { path: { id } } });
  return { ...data!.data, ids };
}
export type Graph = Awaited<ReturnType<typeof graphOf>>;
