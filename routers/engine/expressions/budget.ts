import { ExpressionError } from './parse.ts';

/** Steps that the expressions of one document, or of one set of rules, may take: about 0.1 µs each. */
export const MAX_STEPS = 500_000;
/** Text that they may produce together, in UTF-16 code units. */
export const MAX_TEXT = 1_000_000;
/** Text that costs as much as one step to copy, compare or write. */
const TEXT_OF_A_STEP = 32;

/** The remaining budget of expressions that are evaluated together. */
export interface Budget {
  /** @throws ExpressionError when no steps are left, then and ever after. */
  spend(steps: number): void;
  /** For going through a text of so many UTF-16 code units. @throws ExpressionError */
  spendOnReading(length: number): void;
  /** For producing or showing a text of so many UTF-16 code units. @throws ExpressionError */
  spendOnText(length: number): void;
}

export function createBudget(): Budget {
  let steps = MAX_STEPS;
  let text = MAX_TEXT;
  const spend = (count: number) => {
    steps -= count;
    if (steps < 0) throw new ExpressionError('These expressions take too many steps together.');
  };
  const spendOnReading = (length: number) => spend(Math.ceil(length / TEXT_OF_A_STEP));
  return {
    spend,
    spendOnReading,
    spendOnText(length) {
      spendOnReading(length);
      text -= length;
      if (text < 0)
        throw new ExpressionError(`These expressions produce more than ${MAX_TEXT} characters together.`);
    },
  };
}
