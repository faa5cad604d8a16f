import type { TObject, TSchema, Static } from 'typebox';
import type { Account, Role } from '../service/accounts/roles.js';
import type { Deployment } from '../service/deployment/deployment.js';
import type { LimitCategory, Limits } from '../service/limits/limits.js';
import type { Body } from './form.js';
import type { Form } from '../service/form.js';

/**
 * Context of a call for a handler, besides the input read by its form. `N`: the parts of the deployment that
 * it uses, by default none.
 */
export interface Call<N extends keyof Deployment = never> {
  readonly deployment: Pick<Deployment, N>;
  readonly limits: Limits;
  /** Null on open endpoints. */
  readonly account: Account | null;
  /** Address of the caller. */
  readonly address: string;
  readonly requestId: string;
  /** The header `If-Match`; null if absent. */
  readonly ifMatch: string | null;
  readonly signal: AbortSignal;
}

/**
 * One form's view of an endpoint: its input, and how a result becomes its body. Schemas check requests, are
 * compared with responses in tests, and are the source of the API's documentation.
 */
export interface FormView<I, R, N extends keyof Deployment = never> {
  /** Parameters in the path, `:name`. */
  readonly path?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Schema of the payload: of `data` in Form B. */
  readonly response: TSchema;
  readonly read: (input: { readonly path: never; readonly query: never; readonly body: never }) => I;
  readonly render: (result: R, call: Call<N>) => Body;
}

/** Provides `read` with the types of its schemas. */
export const formView = <
  I,
  R,
  P extends TObject,
  Q extends TObject,
  B extends TSchema,
  N extends keyof Deployment = never,
>(view: {
  readonly path?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly response: TSchema;
  readonly read: (input: {
    readonly path: Static<P>;
    readonly query: Static<Q>;
    readonly body: Static<B>;
  }) => I;
  readonly render: (result: R, call: Call<N>) => Body;
}): FormView<I, R, N> => view;

/** An operation of a resource: one handler computes a result, the forms only convert it to bodies. */
export interface Endpoint<I = unknown, R = unknown, N extends keyof Deployment = never> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base address: `/pose/latest`. */
  readonly path: string;
  readonly summary: string;
  /** `open` requires no credential. */
  readonly access: Role | 'open';
  readonly limit: LimitCategory;
  /** Also answered while the limit of concurrent calls is reached. */
  readonly vital?: boolean;
  readonly status: 200 | 201 | 202 | 204;
  /** Limit of its body, if larger than that of others. */
  readonly largest?: { readonly bytes: number; readonly values?: number };
  /**
   * Parses and checks its body, if that would block the event loop: other bodies are parsed and checked
   * immediately.
   */
  readonly readBody?: (text: string) => Promise<unknown>;
  /** No envelope in Form B. */
  readonly bare?: boolean;
  /** If the answer is not JSON: `data` from `render` is then the text of such a document, without envelope. */
  readonly document?: { readonly type: string; readonly headers: Readonly<Record<string, string>> };
  /** It acts on something with versions: it accepts `If-Match`, and answers with `ETag`. */
  readonly versioned?: boolean;
  readonly handle: (input: I, call: Call<N>) => Promise<R>;
  /**
   * Parts of a call for the audit log, besides its path: identifiers and switches, no field that may contain
   * a secret. A GET with it is also recorded. False for a call that changes nothing although it is not a GET.
   */
  readonly audit?: false | ((input: I, call: Call<N>) => Readonly<Record<string, unknown>>);
  /** At least one; a form that an endpoint lacks is answered in the body of the other. */
  readonly a?: FormView<I, R, N>;
  readonly b?: FormView<I, R, N>;
}

/** A call created by the router. */
export type FullCall = Call<keyof Deployment>;

/** An endpoint without its input and result types, as the router holds it. */
export type AnyEndpoint = Omit<Endpoint, 'handle' | 'audit' | 'a' | 'b'> & {
  readonly handle: (input: never, call: FullCall) => Promise<unknown>;
  readonly audit?: false | ((input: never, call: FullCall) => Readonly<Record<string, unknown>>);
  readonly a?: AnyFormView;
  readonly b?: AnyFormView;
};

export type AnyFormView = Omit<FormView<unknown, unknown>, 'render'> & {
  readonly render: (result: never, call: FullCall) => Body;
};

/** Defines endpoints that use these parts of the deployment, and no others. */
export const endpointsWith =
  <N extends keyof Deployment = never>() =>
  <I, R>(endpoint: Endpoint<I, R, N>): AnyEndpoint =>
    endpoint;

/** The view for an answer in a form. */
export function viewOf(endpoint: AnyEndpoint, form: Form): { form: Form; view: AnyFormView } {
  const own = endpoint[form];
  if (own) return { form, view: own };
  const other: Form = form === 'a' ? 'b' : 'a';
  return { form: other, view: endpoint[other]! };
}
