/** An option of a select column, as a document has it. */
interface Option<Label> {
  value?: unknown;
  label?: Label;
}

/** The labels of options by their values. Of several with one value, the first counts. */
export const optionLabels = <Label>(
  options: readonly Option<Label>[],
): ReadonlyMap<unknown, Label | undefined> =>
  new Map(options.toReversed().map(({ value, label }) => [value, label]));
