import { expect } from 'vitest';
import {
  countExportFiles,
  type ExportedFile,
  exportFiles,
  planExport,
} from '../../../routers/engine/export/export.ts';
import { type ImportedDocument, planMutations } from '../../../routers/engine/import/mutations.ts';
import { planImport } from '../../../routers/engine/import/plan.ts';
import { createImportIds, NO_PREVIOUS_IMPORT } from '../../../routers/engine/import/previous-import.ts';
import { readContent, readFile } from '../../../routers/engine/import/read.ts';
import { scanSource } from '../../../routers/engine/import/scan.ts';
import type { DocsSource } from '../../../routers/engine/import/source.ts';
import { putDocument } from '../../../routers/engine/store/documents.ts';
import { editSnapshot, type Mutation, putEmptyRoot } from '../../../routers/engine/store/edit.ts';
import { createObjectBuffer, type ObjectBuffer } from '../../../routers/engine/store/objects.ts';
import { putText } from '../../../routers/engine/store/texts.ts';
import { createMemoryStore } from '../store/memory-store.ts';

/** A space in memory that a repository was imported into. */
export interface ImportedSpace {
  buffer: ObjectBuffer;
  root: string;
}

/** Imports a repository into an empty space. */
export async function importRepository(source: DocsSource): Promise<ImportedSpace> {
  let count = 0;
  const scan = await scanSource(source);
  const plan = planImport(
    scan,
    createImportIds(NO_PREVIOUS_IMPORT, scan, () => `id${count++}`),
  );
  const buffer = createObjectBuffer(createMemoryStore());
  const documents = new Map<string, ImportedDocument>();
  for (const body of [...plan.pages.filter(({ type }) => type === 'document'), ...plan.reusableContents]) {
    const read = await readContent(plan, body);
    const document = putDocument(buffer, read.document);
    const text = read.text === undefined ? undefined : putText(buffer, { text: read.text });
    documents.set(body.id, { document, parsed: document, text });
  }
  const files = await Promise.all(
    plan.files.map(async (file) => {
      const { sha256, size, oid } = await readFile(plan, file);
      const { id, name, contentType, path } = file;
      return { id, name, contentType, size, sha256, git: { path, oid } };
    }),
  );
  const mutations = planMutations(NO_PREVIOUS_IMPORT, {
    pages: plan.pages,
    documents,
    files,
    reusableContents: plan.reusableContents,
    variables: plan.variables,
    repository: scan.repository.map(({ role, path, ...text }) => ({
      role,
      path,
      text: putText(buffer, text),
    })),
    now: '2026-01-01T00:00:00.000Z',
  });
  return { buffer, root: await editSnapshot(buffer, putEmptyRoot(buffer), mutations) };
}

export const emptySpace = (): ImportedSpace => {
  const buffer = createObjectBuffer(createMemoryStore());
  return { buffer, root: putEmptyRoot(buffer) };
};

/** The same space after some edits. */
export const edit = async (
  { buffer, root }: ImportedSpace,
  ...mutations: Mutation[]
): Promise<ImportedSpace> => ({
  buffer,
  root: await editSnapshot(buffer, root, mutations),
});

/** The exported text files by path; of stored files, their hash. */
export async function exportRepository({ buffer, root }: ImportedSpace): Promise<Record<string, string>> {
  const plan = await planExport(buffer, root);
  const found: Record<string, string> = {};
  for await (const file of exportFiles(buffer, plan)) found[file.path] = contentOf(file);
  expect(Object.keys(found)).toHaveLength(countExportFiles(plan));
  return found;
}

const contentOf = (file: ExportedFile): string => ('text' in file ? file.text : `sha256:${file.file.sha256}`);
