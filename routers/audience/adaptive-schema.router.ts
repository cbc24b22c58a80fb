import { z } from 'zod';
import { AdaptiveSchema, MAX_CLAIMS } from '../../schema/json/adaptive-schema.ts';
import { siteProcedure } from '../access/procedures.ts';
import { router } from '../base/trpc.ts';
import { DomainError, notFound } from '../engine/errors.ts';
import { AdaptiveSchemaObject, presentAdaptiveSchema } from './adaptive-schema.api.ts';
import { requireValidConditions } from './conditions.query.ts';
import { route } from './route.ts';
import { siteChangeProcedure } from './site-change.procedures.ts';
import { templateConditions } from './template-conditions.ts';
import { TOKEN_CLAIMS } from './visitor-jwt.ts';

const SCHEMA = '/orgs/{organizationId}/sites/{siteId}/adaptive-schema';

/** @throws DomainError `invalid` for a signed claim that is about the token, and so never a claim of the visitor */
function requireVisitorClaims({ properties }: AdaptiveSchema): void {
  const name = TOKEN_CLAIMS.find((claim) => Object.hasOwn(properties, claim));
  if (name === undefined) return;
  const message = `The signed claim ${name} is about the token itself: it never counts as a claim of the visitor.`;
  throw new DomainError('invalid', message, [{ path: `jsonSchema.properties.${name}`, message }]);
}

export const adaptiveSchemaRouter = router({
  get: siteProcedure('viewAdaptiveSchema')
    .meta(
      route.get(SCHEMA, 'Get the adaptive schema of a site', 'getSiteAdaptiveSchema', {
        description: 'Returns the claims that conditions on the site may name.',
      }),
    )
    .output(AdaptiveSchemaObject)
    .query(({ ctx: { site } }) => {
      const { adaptiveSchema, adaptiveSchemaUpdatedAt } = site;
      if (!adaptiveSchema || !adaptiveSchemaUpdatedAt) throw notFound('adaptive schema');
      return presentAdaptiveSchema(AdaptiveSchema.parse(adaptiveSchema), adaptiveSchemaUpdatedAt);
    }),

  update: siteChangeProcedure('site.updated', 'editAdaptiveSchema')
    .meta(
      route.put(SCHEMA, 'Set the adaptive schema of a site', 'updateSiteAdaptiveSchema', {
        description: `At most ${MAX_CLAIMS} signed claims and ${MAX_CLAIMS} unsigned ones; signed claims must not be named like the registered claims of JWTs: ${TOKEN_CLAIMS.join(', ')}. A schema is refused if a condition on the site names a claim that it does not declare, or if it removes a claim that the condition of a page names.`,
      }),
    )
    .input(
      z.object({
        jsonSchema: AdaptiveSchema.describe(
          'A JSON Schema (draft-07) whose properties are boolean claims; those that visitors may set themselves are properties of `unsigned`.',
        ),
      }),
    )
    .output(AdaptiveSchemaObject)
    .mutation(async ({ ctx: { db, em, locked }, input: { jsonSchema } }) => {
      // guard: schema-claims
      requireVisitorClaims(jsonSchema);
      // guard: schema-keeps-conditions
      await requireValidConditions(db, locked, jsonSchema);
      const updatedAt = new Date();
      em.assign(locked, { adaptiveSchema: jsonSchema, adaptiveSchemaUpdatedAt: updatedAt });
      await em.flush();
      return presentAdaptiveSchema(jsonSchema, updatedAt);
    }),

  templateConditions: siteProcedure('viewAdaptiveSchema')
    .meta(
      route.get(
        `${SCHEMA}/template-conditions`,
        'List template conditions for the adaptive schema of a site',
        'listSiteAdaptiveTemplateConditions',
        { description: 'Returns two conditions for each claim, as a starting point for your own.' },
      ),
    )
    .output(
      z.object({
        items: z
          .array(
            z.object({
              description: z.string().describe('What the condition requires, in words.'),
              condition: z
                .string()
                .describe(
                  'An expression that can be used as the condition of a page, section or site space.',
                ),
            }),
          )
          .describe('The objects, in order.'),
      }),
    )
    .query(({ ctx: { site } }) => ({
      items: site.adaptiveSchema ? templateConditions(AdaptiveSchema.parse(site.adaptiveSchema)) : [],
    })),
});
