import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt, id, timestamp } from '../columns.ts';
import { PDF_STATES } from '../enums.ts';
import type { PdfScope } from '../json/pdf-scope.ts';
import { Organization } from './organization.ts';
import { Space } from './space.ts';

/** A PDF of content that somebody asked for: it is made once for all who ask for the same within some minutes. */
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
    /** The hash of everything that it was asked for by. */
    key: bytewise(),
    /** What is in it, and for whom. */
    scope: p.json<PdfScope>(),
    state: p.enum(PDF_STATES).default('pending'),
    /** How often a process began to make it, and until when the last one has it to itself. */
    attempts: p.integer().default(0),
    leasedUntil: timestamp().nullable(),
    /** Pages of the content that are done, of all: null until it is known how many there are. */
    done: p.integer().default(0),
    total: p.integer().nullable(),
    /** The hash of all that it was made from: the same source is not set twice. */
    source: bytewise().nullable(),
    /** The hash of the file, and its bytes. */
    file: bytewise().nullable(),
    size: p.integer().nullable(),
    /** Pages of paper. */
    pages: p.integer().nullable(),
    /** Why there is none, as a sentence. */
    problem: p.text().nullable(),
    createdAt: createdAt(),
    /** When it is removed. */
    expiresAt: timestamp(),
  },
});
export type Pdf = InferEntity<typeof Pdf>;
