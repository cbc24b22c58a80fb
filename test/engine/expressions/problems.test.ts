import { expect, test } from 'vitest';
import { invalidConditions } from '../../../routers/engine/expressions/problems.ts';
import { parseMarkdown } from '../../../routers/engine/markdown/markdown.ts';

const problemOf = (condition: string) =>
  invalidConditions(parseMarkdown(`> {% if ${condition} %}\n> a\n> {% endif %}\n`)).get(condition);

test.for([
  ['that is not complete', 'visitor.claims.plan ==', 'cannot be read'],
  ['with an assignment', 'visitor.claims.plan = 1', '='],
  ['with an operator that there is none', 'visitor.claims.plan | 1', '|'],
  ['that calls what is no method', 'visitor.claims.plan.matches("a")', 'no method matches'],
  ['that calls what every object has', '!visitor.claims.plan.toString()', 'no method toString'],
  ['on something that is not there', 'claims.plan', 'nothing named claims'],
  ['on a property that is not there', '!visitor["plan"]', 'nothing named visitor.plan'],
] as const)('an invalid condition is found with the reason: %s', ([, condition, reason]) => {
  expect(problemOf(condition)).toContain(reason);
});

test.for([
  ['visitor.claims.plan ==', 'Expected expression after == at character 23.'],
  ['"👍" == visitor.claims.a)', 'Unexpected ")" at character 24.'],
] as const)(
  'an invalid condition is found with the position of the problem, counted from 1: %s',
  ([condition, reason]) => {
    expect(problemOf(condition)).toContain(reason);
  },
);

test.for(['"a" in visitor.claims.unsigned', 'page.vars.a.includes("b") || now', 'space.vars.a == undefined'])(
  'a valid condition is not reported: %s',
  (condition) => {
    expect(problemOf(condition)).toBeUndefined();
  },
);
