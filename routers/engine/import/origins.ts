import type { Snapshot } from '../store/snapshot.ts';

/** The origins of imported content, as text, by id; content created in the service has none. */
export type Origins = ReadonlyMap<string, string>;

export async function originsOf(snapshot: Snapshot): Promise<Origins> {
  const [pages, files, reusableContents] = await Promise.all([
    snapshot.allPages(),
    snapshot.files(),
    snapshot.reusableContents(),
  ]);
  const origins = new Map<string, string>();
  for (const { id, git } of [...pages, ...files, ...reusableContents])
    if (git) origins.set(id, `${git.oid} ${git.path}`);
  for (const { id, importKey } of pages) if (importKey !== undefined) origins.set(id, importKey);
  return origins;
}
