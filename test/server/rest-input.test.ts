import { initTRPC } from '@trpc/server';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Meta } from '../../routers/base/trpc.ts';
import { errorSender } from '../../server/http/http-errors.ts';
import { mountRest } from '../../server/http/rest.ts';
import { silentLogger } from '../helpers/logger.ts';

test('the input of a request is read once, however many steps of the procedure need it', async () => {
  const t = initTRPC.meta<Meta>().create();
  const echo = t.procedure
    .meta({ openapi: { method: 'POST', path: '/echo' } })
    .input(z.object({ title: z.string() }))
    .input(z.object({ emoji: z.string() }))
    .use(async ({ getRawInput, next }) => {
      await getRawInput();
      return next();
    })
    .output(z.object({ title: z.string(), emoji: z.string() }))
    .mutation(({ input }) => input);
  const appRouter = t.router({ echo });
  const app = fastify();
  onTestFinished(() => app.close());
  let reads = 0;
  app.decorateRequest('ctx');
  app.addHook('preHandler', (request, _reply, done) => {
    const { title, emoji } = request.body as Record<string, string>;
    request.body = {
      emoji,
      get title() {
        reads += 1;
        return title;
      },
    };
    request.ctx = {} as typeof request.ctx;
    done();
  });
  mountRest(app, {
    appRouter: appRouter as never,
    sendStream: undefined as never,
    sendError: errorSender(silentLogger, appRouter),
  });
  const body = { title: 'Guide', emoji: '1f4d8' };
  const response = await app.inject({ method: 'POST', url: '/v1/echo', payload: body });
  expect(response.json()).toEqual(body);
  // Unknown members are looked for in the body, and then it becomes the input.
  expect(reads).toBe(2);
});
