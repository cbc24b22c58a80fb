import type { ContentRef } from './document.ts';

/** Labels of targets without a known title: those that were deleted or are in another space. */
export const FALLBACK_LABELS: Readonly<Record<ContentRef['kind'], string>> = {
  url: 'Link',
  page: 'Page',
  anchor: 'Page',
  file: 'File',
  'reusable-content': 'Reusable content',
  space: 'Space',
  user: 'User',
  collection: 'Collection',
  openapi: 'OpenAPI spec',
};
