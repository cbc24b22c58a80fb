/** The version of OpenAPI or Swagger that a document declares, and the member with it. */
export interface NamedVersion {
  member: 'openapi' | 'swagger';
  version: string;
}

/** Returns the declared version of a document, undefined if it has none. Unquoted versions in YAML are numbers. */
export function versionIn(document: Record<string, unknown>): NamedVersion | undefined {
  for (const member of ['openapi', 'swagger'] as const) {
    const version = document[member];
    if (typeof version === 'string' || typeof version === 'number')
      return { member, version: String(version) };
  }
  return undefined;
}
