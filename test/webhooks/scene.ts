import { afterEach } from 'vitest';
import { jobContext } from '../../server/context.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** A service that may deliver to receivers on this machine. */
export async function startDeliveringService(): Promise<TestService> {
  const service = await startTestService({ OUTBOUND_ALLOW: '127.0.0.1/32' });
  const { database, services, jobs } = service.runtime;
  await jobs.work(jobContext(database, services));
  return service;
}

/** Starts receivers, each of which is closed after the test. */
export function receiverStarter(): () => Promise<Receiver> {
  const started: Receiver[] = [];
  afterEach(() => {
    for (const receiver of started.splice(0)) receiver.close();
  });
  return async () => {
    const receiver = await startReceiver();
    started.push(receiver);
    return receiver;
  };
}
