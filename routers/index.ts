import { adaptiveSchemaRouter } from './audience/adaptive-schema.router.ts';
import { publishingAuthRouter } from './audience/publishing-auth.router.ts';
import { shareLinksRouter } from './audience/share-links.router.ts';
import { auditEventsRouter } from './audit/audit-events.router.ts';
import { authRouter } from './auth/auth.router.ts';
import { identitiesRouter } from './auth/identities.router.ts';
import { passkeySignInRouter, passkeysRouter } from './auth/passkeys.router.ts';
import {
  pendingSecondFactorRouter,
  secondFactorPolicyRouter,
  secondFactorRouter,
} from './auth/second-factor.router.ts';
import { sessionsRouter } from './auth/sessions.router.ts';
import { createCallerFactory, mergeRouters, router } from './base/trpc.ts';
import { changeRequestContentRouter } from './change-requests/change-request-content.router.ts';
import { changeRequestsRouter } from './change-requests/change-requests.router.ts';
import { changesRouter } from './change-requests/changes.router.ts';
import { changeRequestCommentsRouter } from './change-requests/comments.router.ts';
import { comparisonsRouter } from './change-requests/comparisons.router.ts';
import { conflictsRouter } from './change-requests/conflicts.router.ts';
import { changeRequestEditRouter } from './change-requests/edit.router.ts';
import { mergeRouter } from './change-requests/merge.router.ts';
import { requestedReviewersRouter } from './change-requests/requested-reviewers.router.ts';
import { reviewsRouter } from './change-requests/reviews.router.ts';
import {
  currentRevisionRouter,
  revisionListRouter,
  revisionRouter,
} from './change-requests/revisions.router.ts';
import { collectionsRouter } from './collections/collections.router.ts';
import { collectionPlacementRouter } from './collections/placement.router.ts';
import { commentsRouter } from './comments/comments.router.ts';
import { contentRouter } from './content/content.router.ts';
import { documentsRouter } from './content/documents.router.ts';
import { editRouter } from './content/edit.router.ts';
import { revisionsRouter } from './content/revisions.router.ts';
import { uploadsRouter } from './content/uploads.router.ts';
import { issuesClustersRouter } from './conversations/clusters.router.ts';
import { conversationsRouter } from './conversations/conversations.router.ts';
import { conversationIssuesRouter } from './conversations/issues.router.ts';
import { embedsRouter } from './embeds/embeds.router.ts';
import { eventsRouter } from './events/events.router.ts';
import { customHostnamesRouter } from './hostnames/custom-hostnames.router.ts';
import { subdomainsRouter } from './hostnames/subdomains.router.ts';
import { importsRouter } from './imports/imports.router.ts';
import { installationAuditRouter } from './installation/audit.router.ts';
import { installationContentRouter } from './installation/content.router.ts';
import { installationExportsRouter } from './installation/exports.router.ts';
import { installationInvitesRouter } from './installation/invites.router.ts';
import { installationMembersRouter } from './installation/members.router.ts';
import { installationOrganizationsRouter } from './installation/organizations.router.ts';
import { installationSearchRouter } from './installation/search.router.ts';
import { installationSecretRouter } from './installation/secret.router.ts';
import { installationSessionsRouter } from './installation/sessions.router.ts';
import { installationSpecsRouter } from './installation/specs.router.ts';
import { installationTokensRouter } from './installation/tokens.router.ts';
import { installationUsersRouter } from './installation/users.router.ts';
import { invitesRouter } from './joining/invites.router.ts';
import { joiningRouter } from './joining/joining.router.ts';
import { linkInvitesRouter } from './joining/link-invites.router.ts';
import { linksRouter } from './links/links.router.ts';
import { agentInstructionsRouter } from './organizations/agent-instructions.router.ts';
import { organizationsRouter } from './organizations/organizations.router.ts';
import { changeRequestPdfRouter, pdfRouter } from './pdf/pdf.router.ts';
import { membersRouter } from './people/members.router.ts';
import { teamMembersRouter } from './people/team-members.router.ts';
import { teamsRouter } from './people/teams.router.ts';
import { usersRouter } from './people/users.router.ts';
import { collectionPermissionsRouter } from './permissions/collection-permissions.router.ts';
import { spacePermissionsRouter } from './permissions/space-permissions.router.ts';
import { redirectsRouter } from './redirects/redirects.router.ts';
import { samlProvidersRouter } from './saml/saml-providers.router.ts';
import { searchRouter } from './search/search.router.ts';
import { customizationRouter } from './sites/customization/customization.router.ts';
import { sitePermissionsRouter } from './sites/permissions.router.ts';
import { publishedSiteRouter } from './sites/published/published.router.ts';
import { sitesRouter } from './sites/sites.router.ts';
import { sectionGroupsRouter } from './sites/structure/section-groups.router.ts';
import { sectionsRouter } from './sites/structure/sections.router.ts';
import { siteSpacesRouter } from './sites/structure/site-spaces.router.ts';
import { structureRouter } from './sites/structure/structure.router.ts';
import { spacePlacementRouter } from './spaces/placement.router.ts';
import { spacesRouter } from './spaces/spaces.router.ts';
import { specsRouter } from './specs/specs.router.ts';
import { latestVersionRouter, versionsRouter } from './specs/versions.router.ts';
import { glossaryRouter } from './translations/glossary.router.ts';
import { translationsRouter } from './translations/translations.router.ts';
import { urlsRouter } from './urls/urls.router.ts';
import { webhooksRouter } from './webhooks/webhooks.router.ts';

/** The root router: all procedures, by feature, in the order of the API reference. */
export const appRouter = router({
  collections: mergeRouters(collectionsRouter, collectionPlacementRouter),
  collectionPermissions: collectionPermissionsRouter,
  spaces: mergeRouters(spacesRouter, spacePlacementRouter),
  spacePermissions: spacePermissionsRouter,
  comments: commentsRouter,
  content: mergeRouters(currentRevisionRouter, contentRouter),
  documents: documentsRouter,
  embeds: embedsRouter,
  pdf: pdfRouter,
  uploads: uploadsRouter,
  imports: importsRouter,
  revisions: mergeRouters(revisionListRouter, revisionRouter, revisionsRouter),
  changeRequests: mergeRouters(changeRequestsRouter, mergeRouter),
  changeRequestConflicts: conflictsRouter,
  changeRequestReviews: reviewsRouter,
  requestedReviewers: requestedReviewersRouter,
  changeRequestContent: changeRequestContentRouter,
  changeRequestPdf: changeRequestPdfRouter,
  changeRequestComments: changeRequestCommentsRouter,
  changes: changesRouter,
  comparisons: comparisonsRouter,
  edit: mergeRouters(editRouter, changeRequestEditRouter),
  links: linksRouter,
  sites: sitesRouter,
  sitePermissions: sitePermissionsRouter,
  publishedSite: publishedSiteRouter,
  siteCustomization: customizationRouter,
  siteSections: sectionsRouter,
  siteSectionGroups: sectionGroupsRouter,
  siteSpaces: siteSpacesRouter,
  siteStructure: structureRouter,
  siteAdaptiveSchema: adaptiveSchemaRouter,
  sitePublishingAuth: publishingAuthRouter,
  siteShareLinks: shareLinksRouter,
  siteRedirects: redirectsRouter,
  search: searchRouter,
  customHostnames: customHostnamesRouter,
  subdomains: subdomainsRouter,
  urls: urlsRouter,
  organizations: mergeRouters(organizationsRouter, agentInstructionsRouter),
  members: membersRouter,
  teams: teamsRouter,
  teamMembers: teamMembersRouter,
  users: usersRouter,
  invites: invitesRouter,
  linkInvites: linkInvitesRouter,
  joining: joiningRouter,
  auth: authRouter,
  passkeySignIn: passkeySignInRouter,
  pendingSecondFactor: pendingSecondFactorRouter,
  sessions: sessionsRouter,
  secondFactor: secondFactorRouter,
  secondFactorPolicy: secondFactorPolicyRouter,
  passkeys: passkeysRouter,
  identities: identitiesRouter,
  samlProviders: samlProvidersRouter,
  specs: specsRouter,
  latestSpecVersion: latestVersionRouter,
  specVersions: versionsRouter,
  conversations: conversationsRouter,
  conversationIssues: conversationIssuesRouter,
  issuesClusters: issuesClustersRouter,
  translations: translationsRouter,
  glossary: glossaryRouter,
  events: eventsRouter,
  auditEvents: auditEventsRouter,
  webhooks: webhooksRouter,
  /** Only for the operator's tools: requests cannot call these. */
  installation: router({
    users: installationUsersRouter,
    tokens: installationTokensRouter,
    organizations: installationOrganizationsRouter,
    members: installationMembersRouter,
    sessions: installationSessionsRouter,
    invites: installationInvitesRouter,
    content: installationContentRouter,
    exports: installationExportsRouter,
    specs: installationSpecsRouter,
    audit: installationAuditRouter,
    search: installationSearchRouter,
    secret: installationSecretRouter,
  }),
});

export type AppRouter = typeof appRouter;

/** Calls procedures directly, without HTTP. */
export const createCaller = createCallerFactory(appRouter);
