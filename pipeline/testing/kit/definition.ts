import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Component } from '../../component/index.js';
import { compileSchema } from '../../config/schema/compiled-schema.js';
import { kitCase, type KitCase } from './cases.js';

/** The rules for every component's definition. */
export function definitionCases(
  component: Component,
  config: object,
  invalid: readonly object[],
): readonly KitCase[] {
  const { validate: check } = compileSchema(component.config);

  return [
    kitCase('its fields all have a description, and unknown ones are rejected', () => {
      for (const [name, field] of Object.entries(
        component.config.properties as Record<string, { description?: string }>,
      )) {
        ok(field.description, `the field ${name} has no description`);
      }
      equal(check({ ...structuredClone(config), no_such_field: 1 }), false, 'it accepts an unknown field');
    }),

    kitCase("the driver's configuration and all examples are valid", () => {
      for (const valid of [config, ...component.examples.map((example) => example.config)]) {
        const filled = structuredClone(valid);
        ok(check(filled), `${JSON.stringify(valid)} is rejected: ${JSON.stringify(check.errors)}`);
        const errors = component.check?.(filled as never).filter(({ severity }) => severity !== 'warning');
        deepEqual(errors ?? [], []);
      }
    }),

    ...invalid.map((bad) =>
      kitCase(`it rejects ${JSON.stringify(bad)}`, () => {
        const filled = structuredClone(bad);
        const refused = !check(filled) || (component.check?.(filled as never).length ?? 0) > 0;
        ok(refused, 'it is accepted');
      }),
    ),
  ];
}

/** A driver's configuration with the defaults of its schema. */
export function withDefaults(component: Component, config: object): object {
  const filled = structuredClone(config);
  compileSchema(component.config).validate(filled);
  return filled;
}
