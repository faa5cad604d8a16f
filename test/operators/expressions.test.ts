import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compileExpression,
  ExpressionFault,
  type Scope,
  type Wanted,
} from '../../operators/shared/expression.js';
import { anyEvent, measure, person, poseFrame, sensedEvent } from '../support/records.js';

const fault = (text: string, wanted: Wanted = 'boolean', scope: Scope = {}): ExpressionFault => {
  try {
    compileExpression(text, wanted, scope);
  } catch (error) {
    if (error instanceof ExpressionFault) return error;
    throw error;
  }
  throw new Error(`${text} is right`);
};

describe('rejects an invalid expression before anything runs', () => {
  test.each([
    ['event.confidenc > 0.5', /no field `confidenc`/, 6, 'confidence'],
    ['evnt.confidence > 0.5', /unknown variable `evnt`/, 0, 'event'],
    ['severty == "high"', /unknown variable `severty`/, 0, 'event.severity'],
    ['time.getHours() > 22', /as in `pose.time`, `event.time`, `measure.time`/, 0, undefined],
    ['event.confidence > 0.5 and true', /`and` is not written so here/, 23, '&&'],
    ['event.confidence > 0.5 OR true', /`OR` is not written so here/, 23, '||'],
    ['not has(event.location)', /`not` is not written so here/, 0, '!'],
    ['event.type = "crowd_alert"', /`=` is not written so here/, 11, '=='],
    ['event.type === "crowd_alert"', /`===` is not written so here/, 11, '=='],
    ['event.confidence <> 0.5', /`<>` is not written so here/, 17, '!='],
    ['event.source == \u201cfall\u201d', /`\u201c` is not written so here/, 16, '"'],
    ['event.confidence > 0.5 nor true', /unexpected/, 23, undefined],
    ['event.type == 3', /string == int/, 0, undefined],
    ['event.location == null', /has\(event.location\)/, 0, undefined],
    ['event.confidence', /returns a number, but must return true or false/, 0, undefined],
    ['event.confidence >', /unexpected token/, 18, undefined],
    ['event.type.matches("(a+)+$")', /`matches` is not available/, 0, undefined],
    ['event.time.getHours("Europe/Brlin") > 3', /unknown time zone `Europe\/Brlin`/, 20, undefined],
    ['event.person == 1 && measure.value > 1', /event and measure/, 0, undefined],
    ['pose.persons.exists(p, p.postre == "lying")', /no field `postre`/, 25, 'posture'],
    ['latest.value > 1', /unknown variable `latest`/, 0, undefined],
    ['has(event.locaton) && true', /no field `locaton`/, 10, 'location'],
    ['pose.persons.exists(p, has(p.trak))', /no field `trak`/, 29, 'track'],
    ['event.time > timestamp("2026-13-01T00:00:00Z")', /written as `timestamp/, 13, undefined],
    ['event.time < event.time + duration("5x")', /written as `duration/, 26, undefined],
    ['cel.bind(a, "x", a + a == "xx")', /`cel.bind` is not available/, 0, undefined],
    ['event.type == "fall"', /`type` is never "fall": it is one of fall_detection, /, 15, 'fall_detection'],
    ['"hihg" != event.severity', /`severity` is never "hihg": it is one of low, /, 1, 'high'],
    ['event.severity in ["high", "criticl"]', /never "criticl"/, 28, 'critical'],
    ['pose.persons.exists(p, p.posture == "sittin")', /one of upright, sitting, lying/, 37, 'sitting'],
    ['pose.persons[0].track.state == "gone"', /`state` is never "gone"/, 32, undefined],
    ['pose.persons.filter(p, true).all(q, q.posture != "x")', /`posture` is never "x"/, 50, undefined],
    ['measure.origin == "simulatd"', /`origin` is never/, 19, 'simulated'],
    ['measure.value in [1, 2]', /\[1.0, 2.0\]/, 0, undefined],
  ])('%s', (text, message, start, suggestion) => {
    const found = fault(text);
    expect(found.message).toMatch(message);
    expect(found.span.start).toBe(start);
    expect(found.suggestion).toBe(suggestion);
  });

  test('also of a record of another stream', () => {
    const found = fault('latest.type == "crowdd"', 'boolean', { latest: 'event' });
    expect(found.message).toMatch(/`type` is never "crowdd"/);
  });

  test('but not a text that a field may have, or a loop whose variable has the name of a record', () => {
    compileExpression('event.source == "fall" && event.metadata.type == "fall"', 'boolean');
    compileExpression('[{"type": "fall"}].exists(event, event.type == "fall")', 'boolean');
    compileExpression('event.type == "fall_detection" || event.severity in ["low"]', 'boolean');
  });

  test('that would be slow: deep, wide, or nested lists', () => {
    fault('('.repeat(40) + 'true' + ')'.repeat(40));
    fault(`1 in [${'1,'.repeat(100)}1]`);
    fault('[1].all(a, [1].all(b, [1].all(c, a + b + c > 1)))');
    compileExpression('[1].all(a, [1].all(b, a + b > 1))', 'boolean');
  });
});

test.each([
  ['event.type == "fall_detection"', true],
  ['event.confidence * 2 + 1 > 2.6', true],
  ['event.person == 1', true],
  ['has(event.location) && event.location.x > 1', true],
  ['has(event.metadata.nothing)', false],
  ['event.metadata.rule == "net"', true],
  ['event.time.getHours("Asia/Tokyo") == 7', true],
  ['event.time + duration("60s") > timestamp("2023-11-14T22:14:00Z")', true],
  ['event.severity in ["high", "critical"]', true],
])('of an event: %s', (text, wanted) => {
  expect(compileExpression(text, 'boolean').evaluate(sensedEvent(0))).toBe(wanted);
});

test.each([
  ['measure.value == 1', true],
  ['1 != measure.value', false],
  ['has(measure.value)', true],
])('of a measure: %s', (text, wanted) => {
  expect(compileExpression(text, 'boolean').evaluate(measure(0, { value: 1 }))).toBe(wanted);
});

test('a number needs no sign', () => {
  expect(compileExpression('uint(3)', 'number').evaluate(measure(0))).toBe(3);
});

test('of people', () => {
  const pose = poseFrame(0, { persons: [person(0), person(0, 1, { posture: 'lying', track: null })] });
  const give = (text: string) => compileExpression(text, 'number').evaluate(pose);
  expect(give('size(pose.persons)')).toBe(2);
  expect(give('size(pose.persons.filter(p, p.posture == "lying" && !has(p.track)))')).toBe(1);
  expect(give('pose.persons[0].track.velocity.y')).toBe(-0.2);
  expect(() => give('pose.persons[5].confidence')).toThrow(/index/);
});

test('a missing value, or a result that is not a number, fails for that record alone', () => {
  const x = compileExpression('event.location.x', 'number');
  expect(() => x.evaluate(sensedEvent(0, { location: null }))).toThrow(/location/);
  expect(x.evaluate(sensedEvent(0))).toBeCloseTo(1.2345678);
  expect(() => compileExpression('measure.value / 0', 'number').evaluate(measure(1))).toThrow(/Infinity/);
});

test('an expression sees each event unchanged, and never changes it', () => {
  const same = compileExpression('event.id + string(event.confidence)', 'text');
  fc.assert(
    fc.property(anyEvent, (event) => {
      const before = structuredClone(event);
      expect(same.evaluate(event)).toContain(event.id);
      expect(event).toEqual(before);
    }),
    { numRuns: 50 },
  );
});
