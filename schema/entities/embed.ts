import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, timestamp } from '../columns.ts';

/** What is known of an address that content embeds, whoever embeds it. */
export const Embed = defineEntity({
  name: 'Embed',
  tableName: 'embed',
  indexes: [{ name: 'embed_retention', properties: ['expiresAt'] }],
  properties: {
    /** An http or https URL without a fragment. */
    address: bytewise().primary(),
    /** What the address says of itself; null until it was fetched. */
    title: p.text().nullable(),
    site: p.text().nullable(),
    icon: p.text().nullable(),
    /** A frame that shows it, for the providers that are listed. */
    html: p.text().nullable(),
    /** The spaces whose readers were answered while it was being fetched; null while it is not. */
    answeredIn: p.array().nullable(),
    /** From when on it is fetched again, if it is asked for. */
    expiresAt: timestamp(),
  },
});
export type Embed = InferEntity<typeof Embed>;
