import { describe, expect, test } from 'vitest';
import { type Claims, declaredClaims, NO_CLAIMS } from '../../../routers/engine/expressions/claims.ts';
import {
  ConditionEvaluator,
  checkCondition,
  claimsIn,
  declaredNames,
} from '../../../routers/engine/expressions/conditions.ts';
import { AdaptiveSchema } from '../../../schema/json/adaptive-schema.ts';

const flag = { type: 'boolean', description: 'A flag.' } as const;
const object = { type: 'object', additionalProperties: false } as const;
const unsigned = { ...object, properties: { isBeta: flag } };
const SCHEMA = AdaptiveSchema.parse({ ...object, properties: { isPaying: flag, unsigned } });

const evaluateCondition = (condition: string, claims: Claims) =>
  new ConditionEvaluator(claims).holds(condition);

describe('a condition that is refused when it is set', () => {
  test.for([
    ['nothing', ''],
    ['blanks', ' \n'],
    ['1,025 characters', `${'!'.repeat(1000)}visitor.claims.isPaying  `],
    ['what does not parse', 'visitor.claims.isPaying &&'],
    ['two expressions', 'visitor.claims.isPaying; visitor.claims.isPaying'],
    ['an assignment', 'visitor.claims.isPaying = true'],
    ['a call', 'visitor.claims.isPaying.toString()'],
    ['a call of a method that expressions know', '"abc".includes("a")'],
    ['a call inside a list', '[visitor.claims.isPaying, "a".trim()]'],
    ['a call inside a key', 'visitor.claims["isPaying".trim()]'],
    ['constructor', 'visitor.claims.constructor'],
    ['constructor as a text', 'visitor.claims["constructor"]["constructor"]'],
    ['constructor below a claim', 'visitor.claims.isPaying.constructor'],
    ['__proto__', 'visitor.claims.__proto__'],
    ['a literal with a constructor', '"".constructor'],
    ['another name', 'process.env.HOME'],
    ['the visitor', 'visitor'],
    ['all claims', 'visitor.claims'],
    ['all unsigned claims', 'visitor.claims.unsigned'],
    ['a computed name', 'visitor.claims[visitor.claims.isPaying]'],
    ['something else of the visitor', 'visitor.session.isPaying'],
  ])('%s', ([, text]) => {
    expect(checkCondition(text as string, null)).toMatch(/\.$/);
    expect(checkCondition(text as string, SCHEMA)).toMatch(/\.$/);
    expect(evaluateCondition(text as string, { signed: { isPaying: true }, unsigned: {} })).toBe(false);
  });

  test('a claim that the schema does not have', () => {
    for (const name of ['other', 'unsigned.isPaying', 'unsigned.isBeta.a', 'isPaying.length', 'isBeta']) {
      expect(checkCondition(`visitor.claims.${name}`, null)).toBeUndefined();
      expect(checkCondition(`true || visitor.claims.${name}`, SCHEMA)).toContain(name);
    }
  });
});

test.for([
  'visitor.claims.isPaying',
  'visitor.claims["isPaying"] === true',
  '!visitor.claims.unsigned.isBeta && (visitor.claims.isPaying ? 1 : 0)',
  'true',
])('a valid condition: %s', (text) => {
  expect(checkCondition(text, SCHEMA)).toBeUndefined();
});

test('conditions see signed and unsigned claims apart', () => {
  const holds = (text: string, claims: object) => evaluateCondition(text, { ...NO_CLAIMS, ...claims });
  expect(holds('visitor.claims.isPaying', { signed: { isPaying: true } })).toBe(true);
  expect(holds('visitor.claims.isPaying', { unsigned: { isPaying: true } })).toBe(false);
  expect(holds('visitor.claims.unsigned.isBeta', { unsigned: { isBeta: true } })).toBe(true);
  expect(holds('visitor.claims.unsigned.isBeta', { signed: { unsigned: { isBeta: true } } })).toBe(false);
  expect(holds('visitor.claims.plan == "pro"', { signed: { plan: 'pro' } })).toBe(true);
});

test('a condition that fails when it is evaluated does not hold', () => {
  const long = 'a'.repeat(60_000);
  const text = 'visitor.claims.a + visitor.claims.a != ""';
  expect(evaluateCondition(text, { signed: { a: 'a' }, unsigned: {} })).toBe(true);
  expect(evaluateCondition(text, { signed: { a: long }, unsigned: {} })).toBe(false);
});

test('a schema lets through only the claims that it declares, of the type that it gives', () => {
  const claims = {
    signed: { isPaying: true, isBeta: true, other: 1, unsigned: { isBeta: true } },
    unsigned: { isBeta: 'yes', isPaying: true },
  };
  expect(declaredClaims(claims, SCHEMA)).toEqual({ signed: { isPaying: true }, unsigned: {} });
  expect(declaredClaims(claims, null)).toEqual(claims);
});

describe('the claims that a condition names', () => {
  test.for([
    ['true && "isPaying"', []],
    ['visitor.claims.isPaying', ['isPaying']],
    [
      'visitor.claims["isPaying"] ? visitor.claims.unsigned.isBeta : !visitor.claims.isPaying',
      ['isPaying', 'unsigned.isBeta'],
    ],
    ['[visitor.claims["is-new"], visitor.claims["unsigned"]["isBeta"]]', ['is-new', 'unsigned.isBeta']],
    ['visitor.claims["unsigned.isBeta"]', ['"unsigned.isBeta"']],
    ['visitor.claims.user.name', ['user.name']],
    ['visitor.claims[0]', ['"0"']],
    ['visitor.claims.isPaying.toString()', []],
    ['visitor.claims.', []],
  ] as const)('%s', ([condition, claims]) => {
    expect(claimsIn(condition)).toEqual(claims);
  });

  test('have the same names in a schema, which a condition needs all of', () => {
    expect(declaredNames(SCHEMA)).toEqual(['isPaying', 'unsigned.isBeta']);
    const names = declaredNames(SCHEMA);
    for (const claim of [
      'isPaying',
      'unsigned.isBeta',
      'unsigned.isPaying',
      'isBeta',
      '["unsigned.isBeta"]',
    ]) {
      const condition = `visitor.claims${claim.startsWith('[') ? '' : '.'}${claim}`;
      expect(claimsIn(condition).every((name) => names.includes(name))).toBe(
        checkCondition(condition, SCHEMA) === undefined,
      );
    }
  });
});
