import type { FastifyReply, FastifyRequest } from 'fastify';
import { completeSignIn } from '../../routers/auth/sign-in.operation.ts';
import type { SignIn } from '../../routers/base/sign-in-ports.ts';
import { redirectOnHost } from './visit.ts';

/** Completes a sign-in and redirects the browser to the next page. */
export async function signInAndRedirect(
  { ctx }: FastifyRequest,
  reply: FastifyReply,
  signIn: Omit<SignIn, 'returnTo'> & { returnTo?: unknown },
): Promise<FastifyReply> {
  const { next } = await completeSignIn(ctx, signIn);
  return redirectOnHost(reply, ctx.services, next);
}
