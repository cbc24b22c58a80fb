import type { Role } from '../../schema/enums.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';

/** An organization with its admin, and the people who may come to it. */
export interface Scene {
  id: string;
  path: string;
  admin: Client;
  adminId: string;
  /** Creates an invite link; without terms, one to read. */
  link(terms?: object): Promise<{ id: string; secret: string }>;
  /** Invites one address; returns the id of the invite. */
  invite(email: string, terms?: object): Promise<string>;
  /** Accepts an invite by its id or secret. */
  accept(person: { token: string }, invite: string): Promise<number>;
  /** The role of a member, null for a guest, undefined for others. */
  roleOf(user: string): Promise<Role | null | undefined>;
  memberCount(): Promise<number>;
}

export async function setScene(service: TestService): Promise<Scene> {
  const { id, admin: owner } = await service.build.organization();
  const admin = service.as(owner.token);
  const path = `/orgs/${id}`;
  return {
    id,
    path,
    admin,
    adminId: owner.id,
    link: (terms = { role: 'read' }) => expectOk(admin.post(`${path}/link-invites`, terms)),
    invite: async (email, terms = {}) => {
      const { invites } = await expectOk(admin.post(`${path}/invites`, { emails: [email], ...terms }));
      return invites[0].id;
    },
    accept: async ({ token }, invite) =>
      (await service.as(token).post(`${path}/invites/${encodeURIComponent(invite)}`)).status,
    roleOf: async (user) => (await admin.get(`${path}/members/${user}`)).body.role,
    memberCount: async () => (await admin.get(`${path}/members`)).body.count,
  };
}
