import { expect, test } from 'vitest';
import { createClient } from '../../server/client/index.ts';

const page = { 'content-type': 'text/html' };
const json = { 'content-type': 'application/json' };

test.for([
  ['the error page of a proxy', '<html>502 Bad Gateway</html>', 502, page],
  ['an error without a body', null, 413, {}],
  ['a page of somebody else', '<html>Sign in to the network</html>', 200, page],
  ['an error of another URL of the service', '{"error":{"code":404,"message":"Nothing."}}', 404, json],
] as const)(
  'a call that gets %s throws an error that says so, with the response',
  async ([, body, status, headers]) => {
    const client = createClient({
      url: 'https://docs.example.com',
      fetch: async () => new Response(body, { status, headers }),
    });
    const error = await client.users.me.query().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'TRPCClientError',
      message: `https://docs.example.com did not respond as a Colophon service (status ${status}).`,
      data: undefined,
      meta: { response: { status } },
    });
  },
);

test('responses of procedures need no content type, and keep their errors', async () => {
  const failure = { json: { message: 'No.', code: -32004, data: { code: 'NOT_FOUND', httpStatus: 404 } } };
  const respond = (value: unknown, status: number) =>
    createClient({
      url: 'https://docs.example.com',
      fetch: async () => new Response(JSON.stringify(value), { status }),
    }).users.me.query();
  expect(await respond([{ result: { data: { json: { id: 'a' } } } }], 200)).toEqual({ id: 'a' });
  await expect(respond([{ error: failure }], 404)).rejects.toMatchObject({ data: { httpStatus: 404 } });
  await expect(respond({ error: failure }, 404)).rejects.toMatchObject({ data: { httpStatus: 404 } });
});
