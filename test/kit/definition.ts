import { Ajv } from 'ajv';
import { expect } from 'vitest';
import type { Component } from '../../pipeline/component/index.js';
import { kitCase, type KitCase } from './cases.js';

/** What holds for the definition of every component. */
export function definitionCases(
  component: Component,
  config: object,
  invalid: readonly object[],
): readonly KitCase[] {
  const check = new Ajv({ useDefaults: true, strict: false }).compile(component.config);

  return [
    kitCase('its fields all have a description, and no unknown one is taken', () => {
      for (const [name, field] of Object.entries(
        component.config.properties as Record<string, { description?: string }>,
      )) {
        expect(field.description, `description of ${name}`).toBeTruthy();
      }
      expect(check({ ...structuredClone(config), no_such_field: 1 })).toBe(false);
    }),

    kitCase("the driver's configuration and all examples are valid", () => {
      for (const valid of [config, ...component.examples.map((example) => example.config)]) {
        const filled = structuredClone(valid);
        expect(check(filled), JSON.stringify(check.errors)).toBe(true);
        const errors = component.check?.(filled as never).filter(({ severity }) => severity !== 'warning');
        expect(errors ?? []).toEqual([]);
      }
    }),

    ...invalid.map((bad) =>
      kitCase(`it refuses ${JSON.stringify(bad)}`, () => {
        const filled = structuredClone(bad);
        const refused = !check(filled) || (component.check?.(filled as never).length ?? 0) > 0;
        expect(refused).toBe(true);
      }),
    ),
  ];
}

/** A driver's configuration with the defaults of its schema. */
export function withDefaults(component: Component, config: object): object {
  const filled = structuredClone(config);
  new Ajv({ useDefaults: true, strict: false }).compile(component.config)(filled);
  return filled;
}
