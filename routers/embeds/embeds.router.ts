import { z } from 'zod';
import { Embed } from '../../schema/entities/embed.ts';
import { columnsOf } from '../../schema/rows.ts';
import { spaceReaderProcedure } from '../access/procedures.ts';
import { batchedStatement, type Operand } from '../batched-statement.ts';
import { kyselyOf } from '../context.ts';
import { embedAddress } from '../engine/links/facts.ts';
import { isEmbedShown } from '../links/shown-targets.query.ts';
import { router } from '../trpc.ts';
import { route } from './chapter.ts';
import { EmbedObject, presentEmbed } from './embeds.api.ts';
import { refreshEmbed } from './embeds.operation.ts';

const readEmbed = batchedStatement((db, address: Operand) =>
  db.selectFrom('embed').select(columnsOf(Embed)).where('address', '=', address),
);

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
      const isFresh = known && Date.parse(String(known.expiresAt)) > Date.now();
      const { space: of, conditions } = opened;
      // The service asks for nothing but what pages embed: it is nobody's way to other servers.
      if (!isFresh && (await isEmbedShown(ctx, { of, conditions }, address)))
        await transaction((em) => refreshEmbed(kyselyOf(em), services, address));
      return presentEmbed(url, known);
    }),
});
