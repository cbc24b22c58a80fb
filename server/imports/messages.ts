/** The messages between the service and the process of an import. */

import type { ArchiveImport, ImportCaller, ImportProgress } from '../../routers/base/ports.ts';
import type { DomainErrorCode } from '../../routers/engine/errors.ts';
import type { Connection } from '../../schema/orm.config.ts';
import type { Config } from '../config.ts';

export interface ImportRequest {
  config: Config;
  /** The connection to the embedded database; without it, the configuration names the database. */
  connection: Connection | undefined;
  caller: ImportCaller;
  input: ArchiveImport;
}

export type ImportMessage =
  | { type: 'progress'; progress: ImportProgress }
  | { type: 'done'; outcome: unknown }
  | {
      type: 'refused';
      code: DomainErrorCode;
      message: string;
      details: { path: string; message: string }[] | undefined;
    }
  | { type: 'failed'; message: string };
