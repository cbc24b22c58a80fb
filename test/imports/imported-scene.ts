import { expect } from 'vitest';
import type { TestService } from '../helpers/service.ts';
import { type ImportScene, setImportScene } from './scene.ts';

export const SUMMARY = '* [Home](README.md)\n* [Guide](guide.md)\n  * [Step](step.md)\n* [Notes](notes.md)\n';
/** Pages with a table of contents, a picture and reusable content. */
export const DOCS = {
  'SUMMARY.md': SUMMARY,
  'README.md': '# Home\n\n[The guide](guide.md)\n\n{% include ".gitbook/includes/shared.md" %}\n',
  'guide.md': '---\ndescription: How to\nslug: handbook\n---\n\n# Guide\n\nFirst.\n\n![](only-here.png)\n',
  'step.md': '# Step\n\nOne.\n',
  'notes.md': '# Notes\n\nOne.\n',
  'only-here.png': 'picture',
  '.gitbook/includes/shared.md': '# Shared\n\nShared words.\n',
};

/** A scene after the import of some files, without problems. */
export async function importedScene(
  service: TestService,
  files: Record<string, string | Uint8Array> = DOCS,
): Promise<ImportScene> {
  const scene = await setImportScene(service);
  await scene.write(files);
  const { report } = await scene.import();
  expect(report.filter(({ severity }) => severity !== 'info')).toEqual([]);
  return scene;
}
