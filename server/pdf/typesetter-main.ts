/** The process that runs one step of generating a book, in the folder of the book, and sends back its result. */

import { Worker } from 'node:worker_threads';
import '../compile-cache.mjs';

// Typesetting blocks this thread, so another thread watches whether the parent is still alive.
new Worker(new URL('./parent-watch.ts', import.meta.url), { workerData: process.ppid }).unref();
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

type Request =
  | { step: 'prepare'; folder: string; withPictures: boolean }
  | { step: 'simplify'; folder: string; index: number; version: import('./files.ts').Version }
  | { step: 'typeset'; folder: string; request: import('./typeset.ts').TypesetRequest }
  | { step: 'merge'; folder: string; request: import('./merge.ts').MergeRequest };

async function run(message: Request): Promise<unknown> {
  switch (message.step) {
    case 'prepare': {
      const { prepare } = await import('./prepare.ts');
      return prepare(message.folder, message.withPictures);
    }
    case 'simplify': {
      const { simplify } = await import('./prepare.ts');
      return simplify(message.folder, message.index, message.version);
    }
    case 'typeset': {
      const { typeset } = await import('./typeset.ts');
      return typeset(message.folder, message.request);
    }
    case 'merge': {
      const { merge } = await import('./merge.ts');
      return merge(message.folder, message.request);
    }
  }
}

process.once('message', (message) => {
  run(message as Request).then(
    (result) => process.send?.({ type: 'done', result }, () => process.exit(0)),
    (error: unknown) => process.send?.({ type: 'failed', error: String(error) }, () => process.exit(1)),
  );
});
