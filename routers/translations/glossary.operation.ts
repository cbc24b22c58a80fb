import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { GlossaryEntry } from '../../schema/entities/glossary-entry.ts';
import { newId } from '../../schema/ids.ts';
import { kyselyOf } from '../base/db.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { recordEvent } from '../events/record.operation.ts';
import { lockOrganizations } from '../organizations/lock.operation.ts';
import { countRows } from '../sql/count-rows.ts';
import type { GlossaryOperation } from './glossary.api.ts';

/** The maximum of entries of one organization: each run reads all of them. */
const MAX_ENTRIES = 5000;

/**
 * Changes the glossary of an organization.
 * @throws DomainError `not-found` for an entry that does not exist, `conflict` if there are too many
 */
export async function changeGlossary(
  em: SqlEntityManager,
  organization: string,
  operations: readonly GlossaryOperation[],
): Promise<void> {
  if (operations.length === 0) return;
  const db = kyselyOf(em);
  // Serialized, so that the number of entries stays within its limit.
  await lockOrganizations(db, organization);
  const named = operations.flatMap((operation) => (operation.type === 'insert' ? [] : [operation.id]));
  const found = await em.find(GlossaryEntry, { organization, id: { $in: named } });
  const entries = new Map(found.map((entry) => [entry.id, entry]));
  for (const operation of operations) {
    if (operation.type === 'insert') {
      em.create(GlossaryEntry, { id: newId(), organization, translations: operation.translations });
      continue;
    }
    const entry = entries.get(operation.id);
    if (!entry) throw notFound('glossary entry');
    if (operation.type === 'update') em.assign(entry, { translations: operation.translations });
    else {
      em.remove(entry);
      entries.delete(operation.id);
    }
  }
  await em.flush();
  if ((await countRows(db, 'glossary_entry', { organization_id: organization })) > MAX_ENTRIES)
    throw new DomainError('conflict', `A glossary can have at most ${MAX_ENTRIES} entries.`);
  recordEvent(em, { type: 'glossary.updated', organization });
}
