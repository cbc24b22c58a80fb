import { ExpressionError } from './expression-error.ts';

/** Steps that the expressions of one document, or of one set of rules, may take: a step takes about 0.1 µs. */
export const MAX_STEPS = 500_000;
/** Text that they may produce in total, in UTF-16 code units. */
export const MAX_TEXT = 1_000_000;
/** UTF-16 code units that cost as much as one step to copy, compare or write. */
const TEXT_PER_STEP = 32;

/** The limits of expressions that are evaluated together: steps, and UTF-16 code units of text. */
export interface Allowance {
  steps: number;
  text: number;
}

/** The remaining budget of expressions that are evaluated together. */
export interface Budget {
  /** Whether it was exceeded. */
  readonly isSpent: boolean;
  /** Lists and objects as text, cached so that each is serialized only once. */
  readonly texts: WeakMap<object, string>;
  /** @throws ExpressionError if no steps are left, on this and every later call. */
  spend(steps: number): void;
  /** Charges for reading through a text of this length in UTF-16 code units. @throws ExpressionError */
  spendOnReading(length: number): void;
  /** Charges for producing or displaying a text of this length in UTF-16 code units. @throws ExpressionError */
  spendOnText(length: number): void;
}

export function createBudget(allowance: Allowance = { steps: MAX_STEPS, text: MAX_TEXT }): Budget {
  let { steps, text } = allowance;
  const spend = (count: number) => {
    steps -= count;
    if (steps < 0) throw new ExpressionError('Together, these expressions take too many steps.');
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
          `Together, these expressions produce more than ${allowance.text} characters.`,
        );
    },
  };
}
