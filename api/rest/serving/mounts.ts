import type { Context as KoaContext } from 'koa';
import type { AnyEndpoint } from '../../contract/endpoint.js';
import type { Deployment } from '../../service/deployment/deployment.js';
import type { Form } from '../../service/form.js';
import { ENDPOINTS } from '../endpoints.js';
import type { Route, Routes } from './routes.js';

/** Where a deployment selects the form. */
export const CHOSEN_BASE = '/api/v1';

/** Paths whose form a deployment can select separately, as written in the contract: `/pose/tracking/{track_id}`. */
export const formPaths = (): readonly string[] => [
  ...new Set([...ENDPOINTS.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}')), WEBSOCKET_PATH]),
];

export const WEBSOCKET_PATH = '/ws/pose';

/** Where the forms are mounted. */
export const mounts = (configured: Form): readonly { readonly base: string; readonly form: Form }[] => [
  { base: '/form-a/api/v1', form: 'a' },
  { base: '/form-b/api/v1', form: 'b' },
  { base: CHOSEN_BASE, form: configured },
];

/** Probes without knowledge of the base address request `/health` at the root. */
export const ROOT = '';
export const rootMount = (configured: Form) => ({ base: ROOT, form: configured });
export const isAtRoot = ({ path }: AnyEndpoint): boolean => path === '/health';

/** The form of the answer to a call; null outside the service interface. */
export type FormFinder = (context: KoaContext) => Form | null;

export function formFinder(deployment: Deployment, endpointOf: EndpointFinder): FormFinder {
  const known = mounts(deployment.form);
  return (context) => {
    const mount = mountOf(context.path, known);
    if (!mount) return null;
    const path = deployment.formsOf.size === 0 ? undefined : endpointOf(context, true)?.path;
    return formAtMount(deployment, mount.base, path) ?? mount.form;
  };
}

/** The form of an endpoint where the deployment selects forms. */
export const formAtMount = (
  { formsOf }: Deployment,
  base: string,
  path: string | undefined,
): Form | undefined =>
  base === CHOSEN_BASE ? formsOf.get(path?.replaceAll(/:(\w+)/g, '{$1}') ?? '') : undefined;

/** The form of errors at a path. */
export const formAt = (path: string, configured: Form): Form =>
  mountOf(path, mounts(configured))?.form ?? configured;

const mountOf = (path: string, known: ReturnType<typeof mounts>) =>
  known.find(
    ({ base }) => path.startsWith(base) && (path.length === base.length || path[base.length] === '/'),
  );

/** The endpoint of a call; with `anyMethod` also one with another method. */
export type EndpointFinder = (context: KoaContext, anyMethod?: boolean) => AnyEndpoint | undefined;

/** @param endpoints by their routes */
export const endpointFinder =
  (router: Routes, endpoints: ReadonlyMap<Route, AnyEndpoint>): EndpointFinder =>
  (context, anyMethod = false) => {
    const found = router.match(context.path, context.method);
    const layer = found.pathAndMethod[0] ?? (anyMethod ? found.path[0] : undefined);
    return layer && endpoints.get(layer);
  };
