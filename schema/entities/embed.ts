import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, timestamp } from '../columns.ts';

/** The metadata of a URL that content embeds, shared by all who embed it. */
export const Embed = defineEntity({
  name: 'Embed',
  tableName: 'embed',
  indexes: [{ name: 'embed_retention', properties: ['expiresAt'] }],
  properties: {
    /** An http or https URL without a fragment. */
    address: bytewise().primary(),
    /** The metadata that the page gives of itself; null until it is fetched. */
    title: p.text().nullable(),
    site: p.text().nullable(),
    icon: p.text().nullable(),
    /** A frame that shows it, for providers on the list. */
    html: p.text().nullable(),
    /** The spaces whose readers got a response while it was being fetched; null when no fetch is under way. */
    answeredIn: p.array().nullable(),
    /** After this, the next request for it fetches it again. */
    expiresAt: timestamp(),
  },
});
export type Embed = InferEntity<typeof Embed>;
