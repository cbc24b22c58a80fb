/** What the service and the process of an import send each other. */

import type { ArchiveImport, ImportProgress } from '../../routers/base/ports.ts';
import type { DomainErrorCode } from '../../routers/engine/errors.ts';
import type { Connection } from '../../schema/orm.config.ts';
import type { Config } from '../config.ts';

export interface ImportRequest {
  config: Config;
  /** Where the embedded database is; without it, the configuration says where the database is. */
  connection: Connection | undefined;
  /** Id of the user who imports. */
  user: string;
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
