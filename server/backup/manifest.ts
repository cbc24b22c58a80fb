import { z } from 'zod';

/** The first file of a backup: the version, the schema and the tables that it was made from. */
export const MANIFEST = 'manifest.json';

/** The last file of a backup: the checksums of its content. A backup without it is not complete. */
export const CHECKSUMS = 'checksums.json';

/** Folders of a backup. */
export const TABLES = 'tables';
export const JOBS = 'jobs';
export const FILES = 'files';

/** The version of the archive format. */
export const FORMAT = 1;

/** What the manifest of any version has. */
export const ManifestFormat = z.object({
  format: z.literal('colophon-backup'),
  formatVersion: z.number().int(),
});

export const Manifest = ManifestFormat.extend({
  formatVersion: z.literal(FORMAT),
  /** The version of the product that wrote it. */
  version: z.string(),
  createdAt: z.string(),
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type Manifest = z.infer<typeof Manifest>;

const CopyResult = z.object({ rows: z.number().int(), sha256: z.string() });
export type CopyResult = z.infer<typeof CopyResult>;

export const Checksums = z.object({
  tables: z.record(z.string(), CopyResult),
  /** Null in an installation whose service has never run. */
  jobs: CopyResult.nullable(),
  sequences: z.record(z.string(), z.string().nullable()),
  files: z.number().int(),
});
export type Checksums = z.infer<typeof Checksums>;

export const newManifest = (made: Omit<Manifest, 'format' | 'formatVersion' | 'createdAt'>): Manifest => ({
  format: 'colophon-backup',
  formatVersion: FORMAT,
  createdAt: new Date().toISOString(),
  ...made,
});

/** What a backup contains, or a restore has restored. */
export interface Summary {
  tables: number;
  rows: number;
  files: number;
  jobs: number;
}

export const summaryOf = ({ tables, jobs, files }: Checksums): Summary => ({
  tables: Object.keys(tables).length,
  rows: Object.values(tables).reduce((sum, { rows }) => sum + rows, 0),
  files,
  jobs: jobs?.rows ?? 0,
});

/** Reports progress: in tables and files for a backup, in bytes of the archive for a restore. */
export type OnProgress = (progress: { done: number; total: number }) => void;
