/** The process of one step of making a book. It reads and writes one folder, and says what came of it. */

import '../compile-cache.ts';

process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

type Order =
  | { step: 'prepare'; folder: string }
  | { step: 'typeset'; folder: string; order: import('./typeset.ts').TypesetOrder }
  | { step: 'merge'; folder: string; order: import('./merge.ts').MergeOrder };

async function run(order: Order): Promise<unknown> {
  switch (order.step) {
    case 'prepare': {
      const { prepare } = await import('./prepare.ts');
      return prepare(order.folder, (done, total) => process.send?.({ type: 'progress', done, total }));
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
