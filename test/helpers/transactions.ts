import { AsyncLocalStorage } from 'node:async_hooks';
import type { Services } from '../../routers/base/context.ts';
import { LOCK_ORDER } from '../../routers/sql/lock-order.ts';
import { DatabasePool } from '../../server/database/database-pool.ts';
import { locksOf, type RowLock, rowsInsertedBy, rowsUpdatedBy } from './row-locks.ts';

/** Callbacks about the transactions of this process. */
interface Watcher {
  /** Called after a statement that locks rows; the transaction waits for the returned promise. */
  locked?(transaction: readonly RowLock[], added: readonly RowLock[]): Promise<void> | undefined;
  /** Called when a statement fails. */
  failed?(error: unknown): void;
}

const watchers = new Set<Watcher>();

/** Adds a watcher. @returns a function that removes it */
export function watchTransactions(watcher: Watcher): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

const ORDER: readonly string[] = LOCK_ORDER;

/** Describes how a transaction's locks violate the declared order; undefined if they do not. */
export function lockOrderViolation(locks: readonly RowLock[]): string | undefined {
  let last = -1;
  const held = new Set<string>();
  for (const { table, waits } of locks) {
    if (held.has(table)) continue;
    held.add(table);
    const place = ORDER.indexOf(table);
    if (place < 0)
      return `"${table}" has no place in the order of locks: add it to LOCK_ORDER in routers/sql/lock-order.ts`;
    // The positions of siblings are changed by one transaction at a time, which has locked their organization.
    if (table === 'collection' && ORDER[last] === 'space' && held.has('organization')) continue;
    if (waits && place < last)
      return `"${table}" is locked after "${ORDER[last]}", against LOCK_ORDER in routers/sql/lock-order.ts`;
    last = Math.max(last, place);
  }
  return undefined;
}

const CHANGES_OR_READS = /^\s*(?:select|with|update|delete|insert)\b/i;

/** The locks by statement text; statements without parameters are not cached, since they contain values. */
const lockCache = new Map<string, RowLock[]>();

function cachedLocksOf(text: string): RowLock[] {
  const locks = lockCache.get(text) ?? (CHANGES_OR_READS.test(text) ? locksOf(text) : []);
  if (text.includes('$')) lockCache.set(text, locks);
  return locks;
}

/** Violations of transaction rules by the services of this process. */
const violations = new Set<string>();

/** @throws Error if a service of this process has violated a transaction rule since the last call */
export function expectNoTransactionViolations(): void {
  const broken = [...violations];
  violations.clear();
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

const inTransaction = new AsyncLocalStorage<boolean>();
const inOtherTransaction = new AsyncLocalStorage<boolean>();

/** Runs statements on a transaction's connection as if another transaction ran them. */
export const runAsOtherTransaction = <Result>(work: () => Result): Result =>
  inOtherTransaction.run(true, work);

const inLastAttempt = new AsyncLocalStorage<boolean>();

const { connect, transaction } = DatabasePool.prototype;

DatabasePool.prototype.connect = async function (this: DatabasePool) {
  const lease = await connect.call(this);
  const query = lease.query.bind(lease);
  let open: RowLock[] | undefined;
  let isInOrder = true;
  /** The rows that the transaction has inserted, which no other transaction can see. */
  const own = new Set<string>();
  const watched = async (text: string, ...rest: [readonly unknown[], number?]) => {
    if (inOtherTransaction.getStore()) return query(text, ...rest);
    const result = await query(text, ...rest).catch((error: unknown) => {
      for (const { failed } of watchers) failed?.(error);
      throw error;
    });
    if (/^(?:begin|start transaction)\b/i.test(text)) {
      [open, isInOrder] = [[], true];
      own.clear();
    } else if (/^(?:commit|rollback)$/i.test(text)) open = undefined;
    // A migration runs alone.
    else if (/^\s*(?:create|alter|drop) (?:table|index|unique|type)\b/i.test(text)) open = undefined;
    else if (open) {
      const added = cachedLocksOf(text);
      for (const row of rowsInsertedBy(text, rest[0])) own.add(row);
      if (added.length === 0 || rowsUpdatedBy(text, rest[0])?.every((row) => own.has(row))) return result;
      open.push(...added);
      const disorder = isInOrder ? lockOrderViolation(open) : undefined;
      if (disorder) violations.add(`${disorder}: ${open.map(({ table }) => table).join(' < ')}`);
      isInOrder = !disorder;
      for (const { locked } of watchers) await locked?.(open, added);
    }
    return result;
  };
  lease.query = watched as typeof lease.query;
  return lease;
};

DatabasePool.prototype.transaction = function <Result>(this: DatabasePool, work: () => Promise<Result>) {
  return transaction.call(this, () => inTransaction.run(true, work)) as Promise<Result>;
};

/** Runs work such as a request to the service outside the transaction that the test itself has open. */
export const outsideTransaction = <Result>(work: () => Result): Result => inTransaction.run(false, work);

/** Records a violation for each engine task that a transaction waits for, except in a writer's last attempt. */
export function guardEngines({ engines, branchQueue }: Services): void {
  const [engineFor, lastAttempt] = [engines.for, branchQueue.lastAttempt];
  engines.for = (caller) => {
    const engine = engineFor.call(engines, caller);
    return {
      run(name, input, reader) {
        if (inTransaction.getStore() && !inLastAttempt.getStore())
          violations.add(`a transaction is open while the engine runs "${name}": ${new Error().stack}`);
        return engine.run(name, input, reader);
      },
    };
  };
  branchQueue.lastAttempt = (work) => inLastAttempt.run(true, () => lastAttempt(work));
}
