import type { FastifyReply, FastifyRequest } from 'fastify';
import { completeSignIn } from '../../routers/auth/sign-in.operation.ts';
import type { SignIn } from '../../routers/base/sign-in-ports.ts';

/** Signs a user in, as `completeSignIn` does, and sends the browser on. For pages and HTTP flows of each method. */
export async function sendSignedIn(
  { ctx }: FastifyRequest,
  reply: FastifyReply,
  signIn: Omit<SignIn, 'returnTo'> & { returnTo?: unknown },
): Promise<FastifyReply> {
  const { next } = await completeSignIn(ctx, signIn);
  return reply.header('cache-control', 'no-store').redirect(ctx.services.urls.absolute(next), 303);
}
