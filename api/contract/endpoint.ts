import type { TObject, TSchema, Static } from 'typebox';
import type { Account, Role } from '../service/accounts/roles.js';
import type { Deployment } from '../service/deployment/deployment.js';
import type { LimitCategory, Limits } from '../service/limits/limits.js';
import type { Body } from './form.js';
import type { Form } from '../service/form.js';

/**
 * What a handler knows of its call beside the input that its form has read. `N`: the parts of the deployment that it
 * gets, by default none.
 */
export interface Call<N extends keyof Deployment = never> {
  readonly deployment: Pick<Deployment, N>;
  readonly limits: Limits;
  /** Null on open endpoints. */
  readonly account: Account | null;
  /** Address of the caller. */
  readonly address: string;
  readonly requestId: string;
  /** The header `If-Match`; null where it was not sent. */
  readonly ifMatch: string | null;
  readonly signal: AbortSignal;
}

/**
 * One form's view of an endpoint: what it takes, and how a result becomes its body. Schemas check
 * requests, are held against responses in tests, and are the source of the API's documentation.
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

/** Gives `read` the types of its schemas. */
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

/** A resource's operation: one handler computes a result, the forms only turn it into bodies. */
export interface Endpoint<I = unknown, R = unknown, N extends keyof Deployment = never> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base address: `/pose/latest`. */
  readonly path: string;
  readonly summary: string;
  /** `open` takes anybody. */
  readonly access: Role | 'open';
  readonly limit: LimitCategory;
  /** Answered also while as many calls are at work as may be. */
  readonly vital?: boolean;
  readonly status: 200 | 201 | 202 | 204;
  /** Of its body, where that may be larger than others. */
  readonly largest?: { readonly bytes: number; readonly values?: number };
  /** Parses and checks its body, where that would hold the event loop: other bodies are parsed and checked at once. */
  readonly readBody?: (text: string) => Promise<unknown>;
  /** No envelope in Form B either. */
  readonly bare?: boolean;
  /** Where the answer is no JSON: what `render` gives as `data` is then the text of such a document, without envelope. */
  readonly document?: { readonly type: string; readonly headers: Readonly<Record<string, string>> };
  /** What it acts on has versions: it takes `If-Match`, and answers with `ETag`. */
  readonly versioned?: boolean;
  readonly handle: (input: I, call: Call<N>) => Promise<R>;
  /**
   * What of a call stands in the audit log beside its path: identifiers and switches, no field that may hold a
   * secret. A GET with it is written down too. False for a call that changes nothing though it is no GET.
   */
  readonly audit?: false | ((input: I, call: Call<N>) => Readonly<Record<string, unknown>>);
  /** At least one; a form that an endpoint lacks is answered in the body of the other. */
  readonly a?: FormView<I, R, N>;
  readonly b?: FormView<I, R, N>;
}

/** A call as the router makes it. */
export type FullCall = Call<keyof Deployment>;

/** An endpoint whose input and result types are forgotten: what the router holds. */
export type AnyEndpoint = Omit<Endpoint, 'handle' | 'audit' | 'a' | 'b'> & {
  readonly handle: (input: never, call: FullCall) => Promise<unknown>;
  readonly audit?: false | ((input: never, call: FullCall) => Readonly<Record<string, unknown>>);
  readonly a?: AnyFormView;
  readonly b?: AnyFormView;
};

export type AnyFormView = Omit<FormView<unknown, unknown>, 'render'> & {
  readonly render: (result: never, call: FullCall) => Body;
};

/** Defines endpoints that get these parts of the deployment, and no others. */
export const endpointsWith =
  <N extends keyof Deployment = never>() =>
  <I, R>(endpoint: Endpoint<I, R, N>): AnyEndpoint =>
    endpoint;

/** The view that a form is answered with. */
export function viewOf(endpoint: AnyEndpoint, form: Form): { form: Form; view: AnyFormView } {
  const own = endpoint[form];
  if (own) return { form, view: own };
  const other: Form = form === 'a' ? 'b' : 'a';
  return { form: other, view: endpoint[other]! };
}
