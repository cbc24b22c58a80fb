import { sealAuditLogs } from '../../routers/audit/seal.operation.ts';
import { type Verification, verifyAuditLog } from '../../routers/audit/verify.query.ts';
import { jobContext } from '../../server/context.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';

/** Seals all logs, as the job does every few seconds. */
export const sealAll = ({ runtime: { database, services } }: TestService): Promise<number> =>
  sealAuditLogs(jobContext(database, services));

export const verify = ({ runtime }: TestService, log: string): Promise<Verification> =>
  verifyAuditLog(runtime.database.db, log);

interface Listed {
  id: string;
  action: string;
  actor: { type: string; id: string; label?: string };
  target: { type: string; id: string };
  [field: string]: unknown;
}

/** The audit events of an organization, newest first. */
export const audited = async (client: Client, organization: string, query = ''): Promise<Listed[]> =>
  (await expectOk(client.get(`/orgs/${organization}/audit-events?limit=1000${query}`))).items;

/** Builds an organization with some sealed events of its admin. */
export async function logOf(service: TestService, events: number) {
  const { id, admin } = await service.build.organization();
  const me = service.as(admin.token);
  for (let i = 0; i < events; i++) await expectOk(me.patch(`/orgs/${id}`, { title: `Title ${i}` }));
  await sealAll(service);
  return { id, admin, me };
}
