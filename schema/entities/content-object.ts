import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { bytewise, createdAt } from '../columns.ts';

const OBJECT_KINDS = ['document', 'map', 'root', 'text'] as const;

/** An immutable piece of content, addressed by the SHA-256 of its kind and canonical JSON. */
export const ContentObject = defineEntity({
  name: 'ContentObject',
  tableName: 'content_object',
  properties: {
    hash: bytewise().primary(),
    kind: p.enum(OBJECT_KINDS),
    /** `json`, not `jsonb`: the text must stay exactly what was hashed. */
    body: p.json<unknown>().columnType('json'),
    createdAt: createdAt(),
  },
});
export type ContentObject = InferEntity<typeof ContentObject>;
