import { z } from 'zod';
import { spaceReaderProcedure } from '../access/procedures.ts';
import { router } from '../base/trpc.ts';
import { embedAddress } from '../engine/links/document-links.ts';
import { isEmbedShown } from '../links/visible-targets.query.ts';
import { EmbedObject, presentEmbed } from './embeds.api.ts';
import { awaitEmbed } from './embeds.operation.ts';
import { isKnownIn, readEmbed } from './embeds.query.ts';
import { route } from './route.ts';

export const embedsRouter = router({
  get: spaceReaderProcedure('view')
    .meta(
      route.get('/spaces/{spaceId}/embed', 'Resolve an embedded address', 'getEmbedByUrlInSpace', {
        description:
          'As far as it is known by now: addresses that pages of the space embed are fetched in the background, and kept for a week. Any other address is answered as a link.',
      }),
    )
    .input(z.object({ url: z.string().max(4096).describe('The address that a page embeds.') }))
    .output(EmbedObject)
    .query(async ({ ctx, input: { url } }) => {
      const { db, opened, services, transaction } = ctx;
      const address = embedAddress(url);
      if (address === undefined) return presentEmbed(url, undefined);
      const known = await readEmbed(db, address);
      const { space: of, conditions } = opened;
      if (isKnownIn(of.id, known)) return presentEmbed(url, known);
      // The service asks for nothing but what pages embed: it is nobody's way to other servers.
      // guard: embed-shown
      if (!(await isEmbedShown(ctx, { of, conditions }, address))) return presentEmbed(url, known);
      const isAwaited = await transaction((em) => awaitEmbed(em, services, { address, space: of.id }));
      return presentEmbed(url, isAwaited ? known : await readEmbed(db, address));
    }),
});
