/** Whether two plain JSON values are equal, whatever the order of their keys. An undefined field counts as absent. */
export function sameContent(a: unknown, b: unknown): boolean {
  return sameValues(a, b, undefined);
}

/** The same for parts of documents, whatever their spelling. */
export function sameTyped(a: unknown, b: unknown): boolean {
  return sameValues(a, b, 'format');
}

function sameValues(a: unknown, b: unknown, ignored: string | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((entry, index) => sameValues(entry, b[index], ignored));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  // What a mark but a color has in its data is how it was written.
  const isSpelled = ignored !== undefined && left.object === 'mark' && left.type !== 'color';
  if (isSpelled) return right.object === 'mark' && left.type === right.type;
  for (const name of Object.keys(left))
    if (name !== ignored && !sameValues(left[name], right[name], ignored)) return false;
  for (const name of Object.keys(right))
    if (name !== ignored && !(name in left) && right[name] !== undefined) return false;
  return true;
}
