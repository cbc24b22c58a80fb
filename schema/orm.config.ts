import { Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/postgresql';
import type { Dialect } from 'kysely';
import { AgentInstructions } from './entities/agent-instructions.ts';
import { ApiOutline } from './entities/api-outline.ts';
import { ApiToken } from './entities/api-token.ts';
import { Attempt } from './entities/attempt.ts';
import { AuditEvent } from './entities/audit-event.ts';
import { AuditLog } from './entities/audit-log.ts';
import { ChangeRequest } from './entities/change-request.ts';
import { ChangeRequestContributor } from './entities/change-request-contributor.ts';
import { Collection } from './entities/collection.ts';
import { Comment } from './entities/comment.ts';
import { CommentReaction } from './entities/comment-reaction.ts';
import { Conflict } from './entities/conflict.ts';
import { ContentObject } from './entities/content-object.ts';
import { Conversation } from './entities/conversation.ts';
import { ConversationIssue } from './entities/conversation-issue.ts';
import { CustomHostname } from './entities/custom-hostname.ts';
import { DocumentLink } from './entities/document-link.ts';
import { EarlierSlug } from './entities/earlier-slug.ts';
import { Embed } from './entities/embed.ts';
import { Event } from './entities/event.ts';
import { EventCounter } from './entities/event-counter.ts';
import { GlossaryEntry } from './entities/glossary-entry.ts';
import { ImportBranch } from './entities/import-branch.ts';
import { Invite } from './entities/invite.ts';
import { IssueIndex } from './entities/issue-index.ts';
import { IssueTerm } from './entities/issue-term.ts';
import { IssuesCluster } from './entities/issues-cluster.ts';
import { IssuesClusterTerm } from './entities/issues-cluster-term.ts';
import { Member } from './entities/member.ts';
import { OneTimeToken } from './entities/one-time-token.ts';
import { OpenApiSpec } from './entities/openapi-spec.ts';
import { OpenApiSpecPage } from './entities/openapi-spec-page.ts';
import { OpenApiSpecVersion } from './entities/openapi-spec-version.ts';
import { Organization } from './entities/organization.ts';
import { PageCondition } from './entities/page-condition.ts';
import { Passkey } from './entities/passkey.ts';
import { Password } from './entities/password.ts';
import { Pdf } from './entities/pdf.ts';
import { Permission } from './entities/permission.ts';
import { RecoveryCode } from './entities/recovery-code.ts';
import { RequestedReviewer } from './entities/requested-reviewer.ts';
import { Review } from './entities/review.ts';
import { Revision } from './entities/revision.ts';
import { SamlIdentity } from './entities/saml-identity.ts';
import { SamlProvider } from './entities/saml-provider.ts';
import { SearchBlock } from './entities/search-block.ts';
import { SearchDocument } from './entities/search-document.ts';
import { SearchIndex } from './entities/search-index.ts';
import { SearchLeaf } from './entities/search-leaf.ts';
import { SearchLeafPack } from './entities/search-leaf-pack.ts';
import { SearchSegment } from './entities/search-segment.ts';
import { SearchSpace } from './entities/search-space.ts';
import { Session } from './entities/session.ts';
import { Setting } from './entities/setting.ts';
import { ShareLink } from './entities/share-link.ts';
import { Site } from './entities/site.ts';
import { SiteProxy } from './entities/site-proxy.ts';
import { SiteRedirect } from './entities/site-redirect.ts';
import { SiteSection } from './entities/site-section.ts';
import { SiteSectionGroup } from './entities/site-section-group.ts';
import { SiteSpace } from './entities/site-space.ts';
import { Space } from './entities/space.ts';
import { Subdomain } from './entities/subdomain.ts';
import { Team } from './entities/team.ts';
import { TeamMember } from './entities/team-member.ts';
import { Totp } from './entities/totp.ts';
import { TranslatedText } from './entities/translated-text.ts';
import { Translation } from './entities/translation.ts';
import { User } from './entities/user.ts';
import { UserIdentity } from './entities/user-identity.ts';
import { Webhook } from './entities/webhook.ts';
import { WebhookDelivery } from './entities/webhook-delivery.ts';

export const entities = [
  User,
  ApiToken,
  Organization,
  AgentInstructions,
  Session,
  OneTimeToken,
  Password,
  Passkey,
  Totp,
  RecoveryCode,
  UserIdentity,
  Attempt,
  Member,
  Team,
  TeamMember,
  Collection,
  Space,
  Site,
  SiteSectionGroup,
  SiteSection,
  SiteSpace,
  ShareLink,
  SiteProxy,
  SiteRedirect,
  CustomHostname,
  Subdomain,
  Permission,
  Invite,
  SamlIdentity,
  SamlProvider,
  Revision,
  ContentObject,
  DocumentLink,
  Embed,
  Pdf,
  PageCondition,
  EarlierSlug,
  Conversation,
  IssuesCluster,
  ConversationIssue,
  IssueIndex,
  IssueTerm,
  IssuesClusterTerm,
  ChangeRequest,
  ChangeRequestContributor,
  Review,
  RequestedReviewer,
  Comment,
  CommentReaction,
  Conflict,
  ImportBranch,
  Translation,
  TranslatedText,
  GlossaryEntry,
  OpenApiSpec,
  OpenApiSpecVersion,
  OpenApiSpecPage,
  ApiOutline,
  Event,
  EventCounter,
  AuditEvent,
  AuditLog,
  Webhook,
  WebhookDelivery,
  SearchIndex,
  SearchBlock,
  SearchDocument,
  SearchSegment,
  SearchLeaf,
  SearchLeafPack,
  SearchSpace,
  Setting,
] as const;

/** Connection settings; a `host` that is a folder means a Unix socket in it. */
export interface Connection {
  host: string;
  port?: number;
  user?: string;
  password?: string;
  database: string;
  ssl?: boolean | object;
  /** Settings of the session, as options of the server's command line. */
  options?: string;
}

/** The ORM's settings for one database; `dialect` provides its connections, instead of a pool of its own. */
export const ormConfig = ({ database, ssl, options, ...connection }: Connection, dialect?: () => Dialect) =>
  defineConfig({
    ...connection,
    dbName: database,
    driverOptions: dialect ?? { ssl, options },
    entities: [...entities],
    extensions: [Migrator],
    migrations: {
      path: `${import.meta.dirname}/migrations`,
      tableName: 'migration',
      snapshotName: '.snapshot',
      // Only `npm run migration` writes into the source folder: a service that updates its database does not read its schema back.
      snapshotOnMigrate: false,
      disableForeignKeys: false,
      emit: 'ts',
      // The service logs what was applied.
      silent: true,
    },
    schemaGenerator: { disableForeignKeys: false, ignoreSchema: ['pgboss'] },
    forceUtcTimezone: true,
  });
