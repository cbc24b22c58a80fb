/** The process of one step of making a book. It reads and writes one folder, and says what came of it. */

import { Worker } from 'node:worker_threads';
import '../compile-cache.ts';

// Setting takes all of this thread for as long as it takes: another one looks whether anyone still waits for it.
new Worker(new URL('./parent-watch.ts', import.meta.url), { workerData: process.ppid }).unref();
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

type Order =
  | { step: 'prepare'; folder: string; withPictures: boolean }
  | { step: 'simplify'; folder: string; index: number; version: import('./files.ts').Version }
  | { step: 'typeset'; folder: string; order: import('./typeset.ts').TypesetOrder }
  | { step: 'merge'; folder: string; order: import('./merge.ts').MergeOrder };

async function run(order: Order): Promise<unknown> {
  switch (order.step) {
    case 'prepare': {
      const { prepare } = await import('./prepare.ts');
      return prepare(order.folder, order.withPictures);
    }
    case 'simplify': {
      const { simplify } = await import('./prepare.ts');
      return simplify(order.folder, order.index, order.version);
    }
    case 'typeset': {
      const { typeset } = await import('./typeset.ts');
      return typeset(order.folder, order.order);
    }
    case 'merge': {
      const { merge } = await import('./merge.ts');
      return merge(order.folder, order.order);
    }
  }
}

process.once('message', (order) => {
  run(order as Order).then(
    (result) => process.send?.({ type: 'done', result }, () => process.exit(0)),
    (error: unknown) => process.send?.({ type: 'failed', error: String(error) }, () => process.exit(1)),
  );
});
