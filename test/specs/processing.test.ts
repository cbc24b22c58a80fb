import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Services } from '../../routers/base/context.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import type { Client, TestService } from '../helpers/service.ts';
import { petstore, processSpecs, startSpecService } from '../helpers/specs.ts';

let service: TestService;
let admin: Client;
let base: string;
beforeAll(async () => {
  ({ service, admin, base } = await startSpecService());
});
afterAll(() => service.close());

let specs = 0;
async function publish(text: string, slug = `spec-${specs++}`) {
  expect((await admin.put(`${base}/${slug}`, { source: { text } })).status).toBe(200);
  await processSpecs(service);
  return (await admin.get(`${base}/${slug}`)).body;
}

const refused = (message: string) => ({
  processingState: 'complete',
  lastProcessErrorCode: 'PARSE_ERROR',
  lastProcessedErrors: [expect.objectContaining({ message: expect.stringContaining(message) })],
});

describe('the processing of a spec ends', () => {
  test.each([
    ['a version that is not a text', '{"openapi": {"toString": 1}}', 'neither "openapi" nor "swagger"'],
    ['keys that cannot be stored', '{"openapi": "3.1.0", "\\u0000": 1, "\\u0000": 2}', 'is duplicated'],
    [
      'a long reference that is cut within a character',
      petstore('A', { '/a': { $ref: `x${'😀'.repeat(200)}` } }),
      'leads to another document',
    ],
  ])('the processing of a spec ends with an error if it has %s', async (_, text, message) => {
    expect(await publish(text)).toMatchObject(refused(message));
  });

  test('the processing of a spec ends with an error in the log if the service has a bug', async () => {
    const error = vi.spyOn(service.runtime.services.logger, 'error');
    const fault = new TypeError('a fault');
    await failing(fault, async () => {
      expect(await publish(petstore())).toMatchObject(refused('The service failed to process the document.'));
    });
    expect(error).toHaveBeenCalledWith({ err: fault }, expect.any(String));
  });

  test('the processing of a spec is retried until the service has the resources', async () => {
    await failing(new DomainError('unavailable', 'The service is stopping.'), async () => {
      await expect(publish(petstore(), 'later')).rejects.toThrow('stopping');
    });
    expect((await admin.get(`${base}/later`)).body.processingState).toBe('progress');
    await processSpecs(service);
    expect((await admin.get(`${base}/later`)).body).toHaveProperty('lastVersion');
  });
});

/** Runs `work` while all tasks of jobs fail. */
async function failing(error: Error, work: () => Promise<void>): Promise<void> {
  const { services } = service.runtime;
  const { background } = services;
  const engine = { run: () => Promise.reject(error) };
  services.background = { ...background, for: () => engine } satisfies Services['background'];
  await work().finally(() => {
    services.background = background;
  });
}
