import { describe, expect, test } from 'vitest';
import { type Claims, declaredClaims, NO_CLAIMS } from '../../../routers/engine/expressions/claims.ts';
import {
  Condition,
  ConditionEvaluator,
  checkCondition,
  claimsIn,
  declaredClaimNames,
  REQUEST_ALLOWANCE,
} from '../../../routers/engine/expressions/conditions.ts';
import { AdaptiveSchema } from '../../../schema/json/adaptive-schema.ts';

const flag = { type: 'boolean', description: 'A flag.' } as const;
const object = { type: 'object', additionalProperties: false } as const;
const unsigned = { ...object, properties: { isBeta: flag } };
const SCHEMA = AdaptiveSchema.parse({ ...object, properties: { isPaying: flag, unsigned } });

const evaluateCondition = (condition: string, claims: Claims) =>
  new ConditionEvaluator(claims).holds(condition);

describe('a condition is rejected when it is set:', () => {
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

  test('a condition on a claim that the schema does not declare is rejected', () => {
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

test('a condition without claims must be true or false', () => {
  for (const text of [
    'true',
    'false',
    '!1',
    '1 < 2',
    'visitor.claims.isPaying',
    '1 + visitor.claims.isPaying',
  ])
    expect(Condition.safeParse(text).success, text).toBe(true);
  for (const text of ['1 + 1', '1', '"true"', 'null', '[true]', 'true ? 1 : 0']) {
    const { error } = Condition.safeParse(text);
    expect(error?.issues[0]?.message, text).toMatch(/^A condition must be about claims of the visitor/);
    // One that is stored already has the same effect as before.
    expect(checkCondition(text, null), text).toBeUndefined();
    expect(evaluateCondition(text, NO_CLAIMS), text).toBe(text !== 'null');
  }
});

test('`in` tests for a signed or unsigned claim, and for an item of a list', () => {
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

test('conditions distinguish signed and unsigned claims', () => {
  const holds = (text: string, claims: object) => evaluateCondition(text, { ...NO_CLAIMS, ...claims });
  expect(holds('visitor.claims.isPaying', { signed: { isPaying: true } })).toBe(true);
  expect(holds('visitor.claims.isPaying', { unsigned: { isPaying: true } })).toBe(false);
  expect(holds('visitor.claims.unsigned.isBeta', { unsigned: { isBeta: true } })).toBe(true);
  expect(holds('visitor.claims.unsigned.isBeta', { signed: { unsigned: { isBeta: true } } })).toBe(false);
  expect(holds('visitor.claims.plan == "pro"', { signed: { plan: 'pro' } })).toBe(true);
});

test('a condition that fails to evaluate is false', () => {
  const long = 'a'.repeat(60_000);
  const text = 'visitor.claims.a + visitor.claims.a != ""';
  expect(evaluateCondition(text, { signed: { a: 'a' }, unsigned: {} })).toBe(true);
  expect(evaluateCondition(text, { signed: { a: long }, unsigned: {} })).toBe(false);
});

describe('the conditions of one request', () => {
  const PAD = 'x'.repeat(900);
  const long = (index: number) => `!visitor.claims.none && "${PAD}" != "${index}"`;
  const numbered = <Made>(count: number, make: (index: number) => Made) =>
    Array.from({ length: count }, (_, index) => make(index));

  test.for([
    'true',
    '!visitor.claims.isPaying',
    '!(visitor.claims.isPaying && true)',
    'visitor.claims.isPaying || true',
    'visitor.claims.isPaying ? false : true',
    'visitor.claims.isPaying !== true',
  ])('the conditions of one request are false beyond their budget: %s', (condition) => {
    const evaluator = new ConditionEvaluator(NO_CLAIMS);
    expect(new ConditionEvaluator(NO_CLAIMS).holds(condition)).toBe(true);
    const results = numbered(200, long).map((one) => evaluator.holds(one));
    expect(results[0]).toBe(true);
    expect(results.at(-1)).toBe(false);
    expect(evaluator.holds(condition)).toBe(false);
    expect(evaluator.withoutClaims().holds(condition)).toBe(false);
    expect(evaluator.isShown([condition])).toBe(false);
    expect(evaluator.isShown([null])).toBe(true);
    // Earlier results are cached.
    expect(evaluator.holds(long(0))).toBe(true);
  });

  test('if a part of a condition exceeds the budget of the request, the whole condition is false', () => {
    const part = 'visitor.claims.a + "" == ""';
    const { signed, unsigned } = { signed: { a: 'a'.repeat(50_000) }, unsigned: {} };
    const chain = (count: number) => Array(count).fill(part).join(' || ');
    for (const condition of [`!(${chain(10)})`, `(${chain(10)}) !== true`, `(${chain(10)}) ? false : true`]) {
      expect(evaluateCondition(condition, { signed: { a: 'a' }, unsigned })).toBe(true);
      expect(evaluateCondition(condition, { signed, unsigned })).toBe(false);
    }
  });

  test('equal conditions of one request are evaluated only once, both with and without claims', () => {
    const evaluator = new ConditionEvaluator({ signed: { none: true }, unsigned: {} });
    const results = numbered(1000, () => [
      evaluator.holds(long(0)),
      evaluator.withoutClaims().holds(long(0)),
    ]);
    expect(new Set(results.map(String))).toEqual(new Set(['false,true']));
    expect(evaluator.holds('true')).toBe(true);
  });

  test('reading long claims counts towards the budget of the conditions of a request', () => {
    const text = 'a'.repeat(6000);
    const evaluator = new ConditionEvaluator({ signed: { a: text, b: `${text}b` }, unsigned: {} });
    const conditions = numbered(400, (index) => `visitor.claims.a != visitor.claims.b && ${index} >= 0`);
    expect(conditions.join('').length).toBeLessThan(REQUEST_ALLOWANCE.steps / 4);
    const results = conditions.map((one) => evaluator.holds(one));
    expect(results[0]).toBe(true);
    expect(results.at(-1)).toBe(false);
  });

  test('the conditions of one request convert a claim to text only once', () => {
    const evaluator = new ConditionEvaluator({ signed: { list: Array(2500).fill(0) }, unsigned: {} });
    const conditions = numbered(38, (index) => `visitor.claims.list + "" != "${index}"`);
    expect(evaluator.isShown(conditions)).toBe(true);
  });

  test('a condition on a claim that is nested too deeply to be converted to text is false', () => {
    const list = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
    const condition = '!(visitor.claims.list + "" == "")';
    expect(evaluateCondition(condition, { signed: { list: [1] }, unsigned: {} })).toBe(true);
    expect(evaluateCondition(condition, { signed: { list }, unsigned: {} })).toBe(false);
  });
});

test('a schema admits only the claims that it declares, with the declared type', () => {
  const claims = {
    signed: { isPaying: true, isBeta: true, other: 1, unsigned: { isBeta: true } },
    unsigned: { isBeta: 'yes', isPaying: true },
  };
  expect(declaredClaims(claims, SCHEMA)).toEqual({ signed: { isPaying: true }, unsigned: {} });
  expect(declaredClaims(claims, null)).toEqual(claims);
});

describe('the claims that a condition reads', () => {
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

  test('the claims that a condition reads have the same names as in a schema, which must declare all of them', () => {
    expect(declaredClaimNames(SCHEMA)).toEqual(['isPaying', 'unsigned.isBeta']);
    const names = declaredClaimNames(SCHEMA);
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
