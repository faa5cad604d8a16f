import { deepEqual, notEqual, ok } from 'node:assert/strict';
import type { Component } from '../../component/index.js';
import {
  compileSchema,
  plainSchema,
  requireSchema,
  schemaErrors,
} from '../../config/schema/schema-errors.js';
import { fillDefaults } from '../../config/schema/defaults.js';
import { kitCase, type KitCase } from './cases.js';

/** The rules for every component's definition. */
export function definitionCases(
  component: Component,
  config: object,
  invalid: readonly object[],
): readonly KitCase[] {
  const errorsOf = (filled: object) => schemaErrors(filled, component.config);

  return [
    kitCase('its schema is JSON Schema', () => {
      requireSchema(component.config);
      compileSchema(component.config);
    }),

    kitCase('its fields all have a description, and unknown ones are rejected', () => {
      for (const [name, field] of Object.entries(
        component.config.properties as Record<string, { description?: string }>,
      )) {
        ok(field.description, `the field ${name} has no description`);
      }
      notEqual(
        errorsOf({ ...structuredClone(config), no_such_field: 1 }).length,
        0,
        'it accepts an unknown field',
      );
    }),

    kitCase("the driver's configuration and all examples are valid", () => {
      for (const valid of [config, ...component.examples.map((example) => example.config)]) {
        const filled = structuredClone(valid);
        deepEqual(errorsOf(filled), [], `${JSON.stringify(valid)} is rejected`);
        deepEqual(errorsIn(component, filled), []);
      }
    }),

    ...invalid.map((bad) =>
      kitCase(`it rejects ${JSON.stringify(bad)}`, () => {
        const filled = structuredClone(bad);
        ok(errorsOf(filled).length > 0 || errorsIn(component, filled).length > 0, 'it is accepted');
      }),
    ),
  ];
}

/** What its own check says of a configuration that its schema accepts, without warnings. */
const errorsIn = (component: Component, filled: object): readonly unknown[] =>
  component.check?.(filled as never).filter(({ severity }) => severity !== 'warning') ?? [];

/** A driver's configuration with the defaults of its schema. */
export function withDefaults(component: Component, config: object): object {
  const filled = structuredClone(config);
  fillDefaults(filled, plainSchema(component.config));
  return filled;
}
