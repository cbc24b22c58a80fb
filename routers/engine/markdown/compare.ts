/** Whether two plain JSON values are equal, whatever the order of their keys. An undefined field counts as absent. */
export function sameContent(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((entry, index) => sameContent(entry, b[index]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const name of Object.keys(left)) if (!sameContent(left[name], right[name])) return false;
  for (const name of Object.keys(right)) if (!(name in left) && right[name] !== undefined) return false;
  return true;
}
