import { p } from '@mikro-orm/core';
import { newId } from './ids.ts';

/** Id columns compare byte by byte, so that their order is the order of creation whatever the database's locale. */
const BYTEWISE = 'C';

/** A primary key: 20 URL-safe characters, time-ordered. */
export const id = () => p.text().primary().collation(BYTEWISE).onCreate(newId);

/** A text column that sorts byte by byte: fractional positions and content hashes. */
export const bytewise = () => p.text().collation(BYTEWISE);

/** A timestamp with time zone in milliseconds, the precision that the API shows. */
export const timestamp = () => p.datetime(3);

/** The time of insertion. */
export const createdAt = () => timestamp().onCreate(() => new Date());

/** The time of the last change through the unit of work, initially the time of insertion. Declared after `createdAt`. */
export const updatedAt = () =>
  timestamp()
    .onCreate((entity: { createdAt?: Date }) => entity.createdAt ?? new Date())
    .onUpdate(() => new Date());
