import { ExpressionError } from './expression-error.ts';

/** Steps that the expressions of one document, or of one set of rules, may take: about 0.1 µs each. */
export const MAX_STEPS = 500_000;
/** Text that they may produce together, in UTF-16 code units. */
export const MAX_TEXT = 1_000_000;
/** Text that costs as much as one step to copy, compare or write. */
const TEXT_PER_STEP = 32;

/** What expressions that are evaluated together may take: steps, and UTF-16 code units of text. */
export interface Allowance {
  steps: number;
  text: number;
}

/** The remaining budget of expressions that are evaluated together. */
export interface Budget {
  /** Whether it was exceeded. */
  readonly isSpent: boolean;
  /** What lists and objects are as text, so that each is written once. */
  readonly texts: WeakMap<object, string>;
  /** @throws ExpressionError when no steps are left, then and ever after. */
  spend(steps: number): void;
  /** For going through a text of so many UTF-16 code units. @throws ExpressionError */
  spendOnReading(length: number): void;
  /** For producing or showing a text of so many UTF-16 code units. @throws ExpressionError */
  spendOnText(length: number): void;
}

export function createBudget(allowance: Allowance = { steps: MAX_STEPS, text: MAX_TEXT }): Budget {
  let { steps, text } = allowance;
  const spend = (count: number) => {
    steps -= count;
    if (steps < 0) throw new ExpressionError('These expressions take too many steps together.');
  };
  const spendOnReading = (length: number) => spend(Math.ceil(length / TEXT_PER_STEP));
  return {
    get isSpent() {
      return steps < 0 || text < 0;
    },
    texts: new WeakMap(),
    spend,
    spendOnReading,
    spendOnText(length) {
      spendOnReading(length);
      text -= length;
      if (text < 0)
        throw new ExpressionError(
          `These expressions produce more than ${allowance.text} characters together.`,
        );
    },
  };
}
