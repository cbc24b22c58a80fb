import type { FastifyReply } from 'fastify';
import { finishOidc, OidcError, startOidc } from '../../routers/auth/oidc.operation.ts';
import { completeSignIn } from '../../routers/auth/sign-in.operation.ts';
import { DomainError } from '../../routers/engine/errors.ts';
import { showSignIn } from './sign-in-pages.ts';
import type { Visit } from './visit.ts';

const labelOf = ({ request }: Visit, name: string): string =>
  request.ctx.services.identityProviders.list.find((one) => one.name === name)?.label ?? name;

/** Shows the sign-in page with an error of an identity provider. */
function showProviderError(visit: Visit, name: string, error: unknown): FastifyReply {
  const { texts } = visit;
  if (error instanceof OidcError) {
    const status = error.code === 'unauthenticated' ? 401 : 403;
    return showSignIn(visit, { problem: texts.oidcProblems[error.problem](labelOf(visit, name)), status });
  }
  if (error instanceof DomainError && error.code === 'unavailable')
    return showSignIn(visit, { problem: texts.providerUnavailable(labelOf(visit, name)), status: 503 });
  throw error;
}

export async function startProviderSignIn(visit: Visit, name: string): Promise<FastifyReply> {
  try {
    return visit.redirectExternally(await startOidc(visit.request.ctx, name, visit.query('returnTo')));
  } catch (error) {
    return showProviderError(visit, name, error);
  }
}

export async function finishProviderSignIn(visit: Visit, name: string): Promise<FastifyReply> {
  const { ctx, url } = visit.request;
  try {
    const at = url.indexOf('?');
    const signIn = await finishOidc(ctx, name, at < 0 ? '' : url.slice(at));
    const { next } = await completeSignIn(ctx, signIn);
    return visit.redirect(next);
  } catch (error) {
    return showProviderError(visit, name, error);
  }
}
