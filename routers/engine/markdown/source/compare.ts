import { ownField } from '../../store/canonical.ts';

/** Whether two parts of documents say the same, however they are spelled. An undefined field counts as absent. */
export function sameTyped(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((entry, index) => sameTyped(entry, b[index]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  // What a mark but a color has in its data is how it was written.
  if (left.object === 'mark' && left.type !== 'color')
    return right.object === 'mark' && left.type === right.type;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  names.delete('format');
  return [...names].every((name) => sameTyped(ownField(left, name), ownField(right, name)));
}
