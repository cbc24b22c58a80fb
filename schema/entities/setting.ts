import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** What the installation keeps about itself, for example the secret its signatures are made with. */
export const Setting = defineEntity({
  name: 'Setting',
  tableName: 'setting',
  properties: {
    key: p.text().primary(),
    value: p.text(),
  },
});
export type Setting = InferEntity<typeof Setting>;
