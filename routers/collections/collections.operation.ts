import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { Collection } from '../../schema/entities/collection.ts';
import type { DefaultLevel } from '../../schema/enums.ts';
import { inheritedFrom, type Parent } from '../access/inheritance.ts';

interface NewCollection {
  organization: string;
  /** The collection it goes in; null at the root of the organization. */
  parent: Parent | null;
  position: string;
  title: string;
  defaultLevel?: DefaultLevel | null;
}

/** Creates a collection with nothing in it. */
export function createCollection(em: SqlEntityManager, given: NewCollection): Collection {
  const { organization, parent, position, title, defaultLevel = 'inherit' } = given;
  return em.create(Collection, {
    organization,
    ...inheritedFrom(parent, defaultLevel),
    defaultLevel,
    position,
    title,
  });
}
