/** The version of OpenAPI or Swagger that a document names, and the member that does. */
export interface NamedVersion {
  member: 'openapi' | 'swagger';
  version: string;
}

/** The version that a document names; undefined if it names none. YAML without quotes makes numbers of versions. */
export function versionIn(document: Record<string, unknown>): NamedVersion | undefined {
  for (const member of ['openapi', 'swagger'] as const) {
    const version = document[member];
    if (typeof version === 'string' || typeof version === 'number')
      return { member, version: String(version) };
  }
  return undefined;
}
