import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, timestamp } from '../columns.ts';
import { PDF_STATES } from '../enums.ts';
import type { PdfScope } from '../json/pdf-scope.ts';
import { Organization } from './organization.ts';
import { Space } from './space.ts';

/** A requested PDF of content: identical requests within some minutes share it. */
export const Pdf = defineEntity({
  name: 'Pdf',
  tableName: 'pdf',
  indexes: [
    { name: 'pdf_key', properties: ['key', 'id'] },
    { name: 'pdf_retention', properties: ['expiresAt'] },
    { name: 'pdf_waiting', properties: ['organization'], where: `"state" in ('pending', 'progress')` },
    { name: 'pdf_source', properties: ['organization', 'source'], where: '"source" is not null' },
  ],
  properties: {
    id: id(),
    organization: () => p.manyToOne(Organization).mapToPk().deleteRule('cascade'),
    space: () => p.manyToOne(Space).mapToPk().deleteRule('cascade').index(),
    /** The hash of all parameters of the request. */
    key: bytewise(),
    /** What it contains, and for whom. */
    scope: p.json<PdfScope>(),
    state: p.enum(PDF_STATES).default('pending'),
    /** How many processes have started on it, and when the lease of the last one ends. */
    attempts: p.integer().default(0),
    leasedUntil: timestamp().nullable(),
    /** Pages of the content that are done, and their total, which is null until it is known. */
    done: p.integer().default(0),
    total: p.integer().nullable(),
    /** The hash of everything it is made from: the same source is not rendered twice. */
    source: bytewise().nullable(),
    /** The hash of the file, and its size in bytes. */
    file: bytewise().nullable(),
    size: p.integer().nullable(),
    /** The number of pages of the file. */
    pages: p.integer().nullable(),
    /** Why it failed, as a sentence. */
    problem: p.text().nullable(),
    createdAt: createdAt(),
    /** When it is removed. */
    expiresAt: timestamp(),
  },
});
export type Pdf = InferEntity<typeof Pdf>;
