import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import type { Component } from '../../pipeline/component/index.js';

/** What holds for the definition of every component. */
export function definitionConformance(
  component: Component,
  config: object,
  invalid: readonly object[],
): void {
  const check = new Ajv({ useDefaults: true, strict: false }).compile(component.config);

  test('its fields all have a description, and no unknown one is taken', () => {
    for (const [name, field] of Object.entries(
      component.config.properties as Record<string, { description?: string }>,
    )) {
      expect(field.description, `description of ${name}`).toBeTruthy();
    }
    expect(check({ ...structuredClone(config), no_such_field: 1 })).toBe(false);
  });

  test("the driver's configuration and all examples are valid", () => {
    for (const valid of [config, ...component.examples.map((example) => example.config)]) {
      const filled = structuredClone(valid);
      expect(check(filled), JSON.stringify(check.errors)).toBe(true);
      const errors = component.check?.(filled as never).filter(({ severity }) => severity !== 'warning');
      expect(errors ?? []).toEqual([]);
    }
  });

  test.each(invalid.map((bad) => ({ bad })))('it refuses $bad', ({ bad }) => {
    const filled = structuredClone(bad);
    const refused = !check(filled) || (component.check?.(filled as never).length ?? 0) > 0;
    expect(refused).toBe(true);
  });
}

/** A driver's configuration with the defaults of its schema. */
export function withDefaults(component: Component, config: object): object {
  const filled = structuredClone(config);
  new Ajv({ useDefaults: true, strict: false }).compile(component.config)(filled);
  return filled;
}

/** A case of a kit for the components that promise it; for others there is no such case, not a skipped one. */
export const testWhere =
  (promised: boolean) =>
  (name: string, body: () => Promise<void>): void => {
    if (promised) test(name, body);
  };
