import { z } from 'zod';
import { spaceReaderProcedure } from '../access/procedures.ts';
import { router } from '../base/trpc.ts';
import { readRootOf } from '../content/content.query.ts';
import { embedAddress } from '../engine/links/document-links.ts';
import { isEmbedVisible } from '../links/visible-targets.query.ts';
import { EmbedObject, presentEmbed } from './embeds.api.ts';
import { requestEmbed } from './embeds.operation.ts';
import { isReadyFor, readEmbed } from './embeds.query.ts';
import { route } from './route.ts';

export const embedsRouter = router({
  get: spaceReaderProcedure('view')
    .meta(
      route.get('/spaces/{spaceId}/embed', 'Resolve an embedded address', 'getEmbedByUrlInSpace', {
        description:
          'Returns what is known so far: URLs that pages of the space embed are fetched in the background, and kept for a week. Any other URL is returned as a link.',
      }),
    )
    .input(
      z.object({
        url: z.string().max(4096).describe('The URL that a page embeds.'),
        revision: z
          .string()
          .optional()
          .describe(
            'The revision of the space, or of one of its change requests, whose page embeds it. By default, the active revision, and for members also those of open change requests. Visitors of a site only see the active revision.',
          ),
      }),
    )
    .output(EmbedObject)
    .query(async ({ ctx, input: { url, revision } }) => {
      const { db, opened, reader, services, transaction } = ctx;
      const { space, conditions } = opened;
      const address = embedAddress(url);
      const [root, known] = await Promise.all([
        readRootOf(db, reader, space, revision),
        address === undefined ? undefined : readEmbed(db, address),
      ]);
      if (address === undefined) return presentEmbed(url, undefined);
      const of = { id: space.id, revision: revision ?? space.revision, root };
      const content = { of, conditions, includesProposed: revision === undefined };
      // All spaces share descriptions, and the service fetches whatever pages embed: callers get only what they see on a page
      // of this space, not what others embed, nor what is on servers that they cannot reach.
      // guard: embed-shown
      if (!(await isEmbedVisible(ctx, content, address))) return presentEmbed(url, undefined);
      if (isReadyFor(of.id, known)) return presentEmbed(url, known);
      const isAwaited = await transaction((em) => requestEmbed(em, services, { address, space: of.id }));
      return presentEmbed(url, isAwaited ? known : await readEmbed(db, address));
    }),
});
