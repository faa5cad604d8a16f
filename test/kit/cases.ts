import { afterAll, beforeAll, describe, test } from 'vitest';
import { definitionCases } from '../../pipeline/testing/kit/definition.js';
import type { Component } from '../../pipeline/component/index.js';
import type { KitCase } from '../../pipeline/testing/kit/cases.js';

interface WithServer {
  readonly component: Component;
  readonly config: object;
  readonly invalid?: readonly object[];
  readonly server?: boolean;
}

/** All cases, or only those of its definition if the component needs a server that is missing. */
export const withServer = (
  { component, config, invalid = [], server = false }: WithServer,
  cases: readonly KitCase[],
): readonly KitCase[] =>
  server && !process.env['CSIFLOW_SERVICES'] ? definitionCases(component, config, invalid) : cases;

/** Creates tests from cases. What `beside` opens stays open during all of them. */
export function conformance(
  name: string,
  cases: readonly KitCase[],
  beside?: () => Promise<{ close?(): Promise<void> | void }>,
): void {
  describe(name, () => {
    if (beside) keepOpen(beside);
    for (const { name: promise, run } of cases) test(promise, run);
  });
}

function keepOpen(open: () => Promise<{ close?(): Promise<void> | void }>): void {
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close?.());
}
