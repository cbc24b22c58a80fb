/** The worker process, which runs large content tasks one after another. It communicates only with its parent. */

import '../compile-cache.mjs';
import { flushCompileCache } from 'node:module';
import { BytesReceiver, detachBytes, partsOf } from './large-bytes.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

// Ctrl-C interrupts the whole process group: the parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
const send = (message: FromWorker) => process.send?.(message);

const { taskOf } = await import('../../routers/engine/tasks/tasks.ts');
const { packOutput, unpackInput } = await import('../../routers/engine/tasks/wire.ts');
const { createObjectBuffer, jsonOf, ObjectText } = await import('../../routers/engine/store/objects.ts');
const { DomainError } = await import('../../routers/engine/errors.ts');
const { LRUCache } = await import('lru-cache');

/** Size of the cache of objects that later tasks may use, in characters. */
const CACHE_LENGTH = 4 * 1024 * 1024;
const cache = new LRUCache<string, InstanceType<typeof ObjectText>>({ maxSize: CACHE_LENGTH });

type ResolveObjects = (message: Extract<ToWorker, { type: 'objects' }>) => void;
const waiting = new Map<number, ResolveObjects>();
let requests = 0;

const reader = {
  async read(hashes: readonly string[]) {
    const missing = hashes.filter((hash) => !cache.has(hash));
    const found = new Map(hashes.flatMap((hash) => [[hash, cache.get(hash)] as const]));
    if (missing.length > 0) {
      const request = ++requests;
      send({ type: 'read', request, hashes: missing });
      const { objects } = await new Promise<Parameters<ResolveObjects>[0]>((resolve) => {
        waiting.set(request, resolve);
      });
      if (!objects) throw new Error('the objects could not be read');
      for (const [hash, kind, json] of objects) {
        const object = new ObjectText(kind, json);
        cache.set(hash, object, { size: json.length + 1 });
        found.set(hash, object);
      }
    }
    return found as Map<string, InstanceType<typeof ObjectText>>;
  },
};

const received = new BytesReceiver();

async function run({ name, input }: Extract<ToWorker, { type: 'task' }>): Promise<void> {
  try {
    const buffer = createObjectBuffer(reader);
    const output = await taskOf(name)(buffer, unpackInput(name, received.attachTo(input)));
    const objects = [...buffer.pending].map(([hash, object]): [string, typeof object.kind, string] => [
      hash,
      object.kind,
      jsonOf(object),
    ]);
    const { bytes, ...detached } = detachBytes(packOutput(name, output));
    for (const part of partsOf(bytes)) send(part);
    send({ type: 'done', output: detached, objects });
  } catch (error) {
    if (error instanceof DomainError) {
      const { code, message, details } = error;
      send({ type: 'refused', refusal: { code, message, details } });
    } else send({ type: 'failed', error });
  }
}

let isCompileCacheSaved = false;

/** Saves compiled code after the first task. Node.js does so when a process exits, but workers are killed. */
function saveCompileCache(): void {
  if (isCompileCacheSaved) return;
  isCompileCacheSaved = true;
  flushCompileCache();
}

process.on('message', (sent) => {
  const message = sent as ToWorker;
  if (message.type === 'part') {
    received.add(message);
    return;
  }
  if (message.type === 'task') {
    void run(message).then(saveCompileCache);
    return;
  }
  const resolve = waiting.get(message.request);
  waiting.delete(message.request);
  resolve?.(message);
});
