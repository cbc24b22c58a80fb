import { sql } from 'kysely';
import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';

/**
 * Ensures that a locked organization that requires SSO has an admin who can still sign in: one who has signed in through one of
 * its active providers. Takes into account what the transaction has written.
 * @param leaving the id of a user who is about to lose the role of admin
 * @throws DomainError `conflict` if nobody could administer the organization
 */
export async function requireSsoAdmin(db: Db, organization: string, leaving?: string): Promise<void> {
  // guard: sso-admin-signed-in, sso-leaving-admin, sso-active-provider
  const { rows } = await sql<{ isKept: boolean }>`
    select not organization.sso or exists (
      select from member
        join saml_identity on saml_identity.user_id = member.user_id
        join saml_provider on saml_provider.id = saml_identity.provider_id
      where member.organization_id = organization.id and saml_provider.organization_id = organization.id
        and member.role = 'admin' and member.sso and not member.disabled
        and member.user_id is distinct from ${leaving ?? null}
        and saml_provider.entity_id <> '' and saml_provider.certificate <> '' and saml_provider.sso_url <> ''
      ) as "isKept"
    from organization where id = ${organization}`.execute(db);
  if (rows[0]?.isKept === false)
    throw new DomainError(
      'conflict',
      'SSO is required, and no admin would be left who has signed in through an active SAML provider: nobody could administer the organization.',
    );
}

/** @throws DomainError `forbidden` if an organization can be joined only through SSO */
export async function requireJoiningWithoutSso(db: Db, organization: string): Promise<void> {
  const found = await db
    .selectFrom('organization')
    .select('sso')
    .where('id', '=', organization)
    .executeTakeFirst();
  // guard: sso-joining
  if (found?.sso)
    throw new DomainError(
      'forbidden',
      'This organization requires SSO: join it through its identity provider.',
    );
}
