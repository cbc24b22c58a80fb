import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** A setting of the installation itself, for example its signing secret. */
export const Setting = defineEntity({
  name: 'Setting',
  tableName: 'setting',
  properties: {
    key: p.text().primary(),
    value: p.text(),
  },
});
export type Setting = InferEntity<typeof Setting>;
