import type { SqlEntityManager } from '@mikro-orm/postgresql';
import type { Collection } from '../../schema/entities/collection.ts';
import type { Space } from '../../schema/entities/space.ts';
import { recordEvent } from '../events/record.operation.ts';

/** Records in an organization that a collection or space was moved or transferred. */
export function recordPlacement(
  em: SqlEntityManager,
  content: Collection | Space,
  change: 'moved' | 'transferred',
  organization: string,
): void {
  const { id } = content;
  if ('revision' in content) recordEvent(em, { type: `space.${change}`, space: id, organization });
  else recordEvent(em, { type: `collection.${change}`, collection: id, organization });
}
