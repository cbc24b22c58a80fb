import { describe, expect, test } from 'vitest';
import { declaredClaims, NO_CLAIMS } from '../../../routers/engine/expressions/claims.ts';
import {
  checkCondition,
  claimsIn,
  declaredNames,
  evaluateCondition,
} from '../../../routers/engine/expressions/conditions.ts';
import { AdaptiveSchema } from '../../../schema/json/adaptive-schema.ts';

const flag = { type: 'boolean', description: 'A flag.' } as const;
const object = { type: 'object', additionalProperties: false } as const;
const unsigned = { ...object, properties: { isBeta: flag } };
const SCHEMA = AdaptiveSchema.parse({ ...object, properties: { isPaying: flag, unsigned } });

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

test('`in` looks for a claim among signed and unsigned ones, and for an entry in a list', () => {
  const claims = { signed: { plan: 'pro', groups: ['a', 'b'] }, unsigned: { isBeta: false } };
  for (const [text, result] of [
    ['"plan" in visitor.claims', true],
    ['"isBeta" in visitor.claims.unsigned', true],
    ['"plan" in visitor.claims.unsigned', false],
    ['!("plan" in visitor.claims.unsigned)', true],
    ['"b" in visitor.claims.groups', true],
    ['"c" in visitor.claims.groups', false],
    ['"length" in visitor.claims.groups', false],
    ['"p" in visitor.claims.plan', false],
    ['visitor.claims.plan in ["pro", "max"] && "isBeta" in visitor.claims.unsigned', true],
  ] as const) {
    expect(checkCondition(text, null), text).toBeUndefined();
    expect(evaluateCondition(text, claims), text).toBe(result);
  }
  expect(claimsIn('"plan" in visitor.claims && "isBeta" in visitor.claims.unsigned')).toEqual([
    'plan',
    'unsigned.isBeta',
  ]);
  expect(checkCondition('"isBeta" in visitor.claims.unsigned', SCHEMA)).toBeUndefined();
  expect(checkCondition('"other" in visitor.claims', SCHEMA)).toContain('other');
  for (const text of [
    '"constructor" in visitor.claims',
    '"unsigned" in visitor.claims',
    'visitor.claims.plan in visitor.claims',
  ])
    expect(checkCondition(text, null), text).toMatch(/\.$/);
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
