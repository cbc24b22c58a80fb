/** The `code` of a system or PostgreSQL error ("ENOENT", "57P03"), if it has one. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
