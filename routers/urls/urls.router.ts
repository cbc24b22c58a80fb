import { z } from 'zod';
import { signVisitorToken } from '../access/visitor-token.ts';
import type { Context } from '../context.ts';
import { publicProcedure, router } from '../trpc.ts';
import { route } from './chapter.ts';
import { type Arrival, resolveAddress } from './resolve.query.ts';
import { PublishedContentLookupObject, presentFoundContent, presentRedirection } from './urls.api.ts';

/** Of requests that anyone may send, in bytes. */
const BODY_LIMIT = 32 * 1024;

const PublishedUrl = z
  .url()
  .max(2048)
  .describe('The address that a reader opens. A `jwt_token` in its query is the token of the visitor.');

const redirectOnError = z
  .boolean()
  .default(false)
  .describe('Whether a visitor token that is not valid leads to where visitors are authenticated.');

const OPEN = {
  public: true,
  description:
    'Finds what anyone may read with what they bring, whoever calls. 404 for what is not there for them, 401 if they have to be authenticated and the site has no address for that.',
} as const;

export const urlsRouter = router({
  getPublished: publicProcedure
    .meta(
      route.get('/urls/published', 'Resolve the address of published content', 'getPublishedContentByUrl', {
        ...OPEN,
        deprecated: true,
      }),
    )
    .input(
      z.object({ url: PublishedUrl, visitorAuthToken: z.string().max(8192).optional(), redirectOnError }),
    )
    .output(PublishedContentLookupObject)
    .query(({ ctx, input: { url, visitorAuthToken, redirectOnError } }) =>
      lookUp(ctx, url, { visitorToken: visitorAuthToken, redirectOnError }),
    ),

  resolvePublished: publicProcedure
    .meta(
      route.post(
        '/urls/published',
        'Resolve the address of published content',
        'resolvePublishedContentByUrl',
        { ...OPEN, bodyLimit: BODY_LIMIT },
      ),
    )
    .input(
      z.object({
        url: PublishedUrl,
        redirectOnError,
        visitor: z
          .object({
            jwtToken: z.string().max(8192).optional(),
            unsignedClaims: z.record(z.string(), z.unknown()).optional(),
          })
          .optional(),
      }),
    )
    .output(PublishedContentLookupObject)
    .mutation(({ ctx, input: { url, redirectOnError, visitor } }) => {
      const { jwtToken: visitorToken, unsignedClaims } = visitor ?? {};
      return lookUp(ctx, url, { visitorToken, unsignedClaims, redirectOnError });
    }),
});

async function lookUp({ db, services }: Pick<Context, 'db' | 'services'>, url: string, arrival: Arrival) {
  const found = await resolveAddress({ db, services }, url, arrival);
  if ('target' in found) return presentRedirection(found);
  return presentFoundContent(found, await signVisitorToken(services.signer, found.visitor), services.urls);
}
