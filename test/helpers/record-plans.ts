import type { Db } from '../../routers/base/db.ts';

/** Returns a database that adds the plan of each raw statement to `plans` before running it. */
export function recordPlans(db: Db, plans: string[]): Db {
  const executor = db.getExecutor();
  const explained = new Proxy(executor, {
    get(target, name) {
      if (name !== 'executeQuery') return Reflect.get(target, name).bind(target);
      return async (query: Parameters<typeof target.executeQuery>[0]) => {
        const plan = await target.executeQuery({ ...query, sql: `explain ${query.sql}` });
        plans.push(plan.rows.map((row) => Object.values(row as object)[0]).join('\n'));
        return target.executeQuery(query);
      };
    },
  });
  return { getExecutor: () => explained } as unknown as Db;
}
