import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { components } from '../../api/components.js';
import type { Component } from '../../pipeline/component/index.js';
import { MESSAGE_FORMATS } from '../../pipeline/formats/index.js';
import { formatCases } from '../../pipeline/testing/kit/index.js';
import { conformance } from './cases.js';
import { formatDrivers } from './drivers/formats.js';
import { operatorConformance, type OperatorDriver } from './operator.js';
import { sinkConformance, type SinkDriver } from './sink.js';
import { sourceConformance, type SourceDriver } from './source.js';

/** A file of test/kit/drivers, named like the component: its exports determine the kinds it drives. */
interface Drivers {
  readonly source?: SourceDriver;
  readonly operator?: OperatorDriver;
  readonly sink?: SinkDriver;
}

const found = await Promise.all(
  components.list().map(async (component) => ({ component, drivers: await driversOf(component) })),
);

describe('every registered component runs through its kit', () => {
  test.each(found)('$component.kind $component.name has a driver', ({ component, drivers }) => {
    expect(
      drivers[component.kind],
      `test/kit/drivers/${component.name}.ts must export \`${component.kind}\``,
    ).toBeDefined();
    expect(drivers[component.kind]?.component).toBe(component);
  });
});

for (const { component, drivers } of found) {
  if (component.kind === 'source' && drivers.source) sourceConformance(component.name, drivers.source);
  if (component.kind === 'operator' && drivers.operator)
    operatorConformance(component.name, drivers.operator);
  if (component.kind === 'sink' && drivers.sink) sinkConformance(component.name, drivers.sink);
}

test.each(MESSAGE_FORMATS)('format $name has a driver', ({ name }) => {
  expect(
    formatDrivers.map(({ format }) => format.name),
    `add records of ${name} to SAMPLES of test/formats/samples.ts`,
  ).toContain(name);
});

for (const driver of formatDrivers) conformance(`format ${driver.format.name}`, formatCases(driver));

async function driversOf({ name }: Component): Promise<Drivers> {
  const file = new URL(`./drivers/${name}.ts`, import.meta.url);
  return existsSync(file) ? ((await import(file.href)) as Drivers) : {};
}
