import type { TokenScope } from '../../schema/enums.ts';
import type { Services } from '../base/context.ts';
import type { Urls } from '../base/ports.ts';
import type { Actor } from '../base/principal.ts';
import type { Membership } from './levels.ts';

/** The caller, as far as the response depends on them; `role` is their role in the organization concerned. */
export interface Viewer extends Membership {
  userId: string;
  scope: TokenScope;
  urls: Urls;
}

/** The caller of a procedure; without a membership if the response concerns no organization. */
export const viewerOf = (
  { actor, services }: { actor: Actor; services: Services },
  member: Membership | null,
): Viewer => ({
  userId: actor.user.id,
  role: member?.role ?? null,
  scope: actor.credential.scope,
  urls: services.urls,
});

/** The operator of the installation sees everything as an admin does. */
export const operatorViewer = (urls: Urls): Viewer => ({ userId: '', role: 'admin', scope: 'write', urls });
