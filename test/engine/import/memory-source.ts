import { type DocsSource, ImportError, isIgnoredName } from '../../../routers/engine/import/source.ts';

/** A source of files in memory, given as text or bytes. */
export function memorySource(files: Record<string, string | Uint8Array>): DocsSource {
  const encoder = new TextEncoder();
  const bytes = new Map(
    Object.entries(files)
      .filter(([path]) => !path.split('/').some(isIgnoredName))
      .map(([path, content]) => [path, typeof content === 'string' ? encoder.encode(content) : content]),
  );
  return {
    location: '/docs',
    async *list() {
      for (const [path, content] of bytes) yield { path, size: content.byteLength };
    },
    async read(path) {
      const content = bytes.get(path);
      if (!content) throw new ImportError('unreadable', `${path} is not there.`);
      return content;
    },
  };
}
