import { guard } from './guard.ts';
import { always, at, becomes, both, keep, never, replace, unwrap } from './mutations.ts';

const VISITORS = ['test/audience/visitors.test.ts', 'test/audience/visitor-tokens.test.ts'];
const AUTH = 'test/audience/publishing-auth.test.ts';
const PREVIEWS = 'test/audience/previews.test.ts';
const LINKS = 'test/audience/share-links.test.ts';
const SCHEMA = 'test/audience/adaptive-schema.test.ts';
const ADMISSION = 'test/contract/visitors.test.ts';
const TOKEN = 'test/access/visitor-token.test.ts';
const CONDITIONS = 'test/engine/expressions/conditions.test.ts';
const BUDGET = 'test/audience/condition-budget.test.ts';
const PAGES = 'test/audience/page-conditions.test.ts';
const PARTS = 'test/audience/shown-parts.test.ts';
const SPECS = 'test/audience/visited-specs.test.ts';
const MARKDOWN = 'test/audience/site-markdown.test.ts';
const TITLES = 'test/audience/anchor-titles.test.ts';
const EMBEDS = 'test/embeds/embeds.test.ts';
const DRAFTS = 'test/audience/drafts.test.ts';

export const AUDIENCE_GUARDS = [
  guard(
    'component-tag-conditions',
    'conditions: their tags are not taken for the attributes of a component',
    'test/engine/markdown/components.test.ts',
  ),
  guard(
    'mdx-statement-conditions',
    'conditions: their tags are not taken for statements of MDX',
    'test/engine/import/page-head.test.ts',
  ),
  guard(
    'visitors-admitted',
    'visitors: only where a procedure admits them',
    ADMISSION,
    both(
      at('statement 2'),
      at('condition of statement 3', replace({ ".kind !== 'user'": '.kind.search(/user|visitor/) !== 0' })),
    ),
  ),
  guard('visitors-not-found', 'visitors: what is not theirs is not found, whatever their token', ADMISSION),
  guard('spec-shown', 'visitors: a specification is public, or used by a page that they are shown', SPECS),
  guard('spec-of-visitor-organization', 'visitors: a public specification is of their organization', SPECS),
  guard(
    'conditions-above',
    'visitors: the conditions of all pages above one that refers to something count',
    SPECS,
    replace({ " || (value ->> 'condition')": '' }),
  ),
  guard(
    'site-markdown-pages',
    'visitors: the Markdown of a page names no page that they are not shown',
    MARKDOWN,
    at('operand 2', always),
  ),
  guard('embed-shown', 'embeds: the service fetches and tells nothing but what pages embed', EMBEDS),
  guard('embed-settled', 'embeds: an address that has been fetched is not fetched by further jobs', EMBEDS),
  guard(
    'embed-organization-share',
    'embeds: fetches count under the organization, whichever servers they ask',
    EMBEDS,
    at('value', becomes('crypto.randomUUID()')),
  ),
  guard(
    'embed-turns',
    'embeds: organizations take turns with those that nobody waits for',
    EMBEDS,
    at('value of value', becomes('0')),
  ),
  guard(
    'embed-news',
    'embeds: only what is new is told',
    EMBEDS,
    replace({ 'is distinct from': 'is not distinct from' }),
  ),
  guard(
    'spec-links-indexed',
    'specifications: links that are not indexed yet hold up a deletion',
    'test/links/spec-links.test.ts',
  ),
  guard('site-markdown-public-specs', 'site Markdown: private specifications have no address', MARKDOWN),
  guard(
    'embed-frame-providers',
    'embeds: frames are those of listed providers',
    'test/embeds/describe.test.ts',
    at('operand 3'),
  ),
  guard('visitor-needs', 'visitors: only what the table gives them', VISITORS, at('value', always)),
  guard('visited-site-published', 'visitors: the site is published', VISITORS),
  guard('visited-link-active', 'visitors: the share link is active', VISITORS, at('value', always)),
  guard('visited-signing-key', 'visitors: the signing key is the present one', AUTH, at('operand 2', always)),
  guard('claims-need-adaptive-content', 'visitors: no claims without adaptive content', VISITORS, always),
  guard(
    'visited-link-of-site',
    'visitors: the share link is of the site',
    VISITORS,
    replace({ ' and share_link.site_id = site.id': '' }),
  ),
  guard(
    'visited-link-deactivated',
    'visitors: a deactivated share link ends',
    VISITORS,
    replace({ ' and share_link.active': '' }),
  ),
  guard('visited-deleted-spaces', 'visitors: no deleted spaces', VISITORS),
  guard('condition-constant', 'conditions: only those without claims have a known result', CONDITIONS),
  guard('site-space-condition', 'visitors: the condition of the site space', VISITORS, at('element 1')),
  guard('section-condition', 'visitors: the condition of the section', VISITORS, at('element 2')),
  guard('visited-active-revision', 'visitors: only the active revision', VISITORS, at('operand 2', never)),
  guard('listed-hidden-pages', 'visitors: lists leave out hidden pages', VISITORS, at('operand 1', always)),
  guard(
    'listed-page-conditions',
    'visitors: lists leave out pages whose condition does not hold',
    VISITORS,
    at('operand 2', always),
  ),
  guard('page-conditions-above', 'visitors: the condition of a page, and of those above it', VISITORS),
  guard('landing-page-listed', 'visitors: the landing page is a listed one', VISITORS),
  guard(
    'visited-documents',
    'visitors: documents of pages that they do not see',
    VISITORS,
    at('argument 4', becomes('undefined')),
  ),
  guard('documents-evaluated', 'visitors: documents are always evaluated', VISITORS, at('operand 1', always)),
  guard(
    'documents-evaluated-whole',
    'visitors: all of a document is evaluated',
    VISITORS,
    at('operand 1', never),
  ),
  guard('page-condition-untold', 'visitors: no page tells its condition', VISITORS, at('value', always)),
  guard(
    'header-link-conditions',
    'visitors: the conditions of links in the header',
    VISITORS,
    at('element 1'),
  ),
  guard('share-key', 'visitors: a wrong share key', VISITORS),
  guard(
    'visited-site-of-token',
    'visitors: the site is that of the token',
    'test/audience/matrix.test.ts',
    at('operand 1', never),
  ),
  guard('visitor-token-algorithm', 'visitor token: its algorithm', TOKEN),
  guard('visitor-token-audience', 'visitor token: its audience', TOKEN),
  guard('visitor-token-issuer', 'visitor token: its issuer', TOKEN),
  guard('visitor-jwt-algorithm', 'visitor JWT: its algorithm', AUTH),
  guard('visitor-jwt-expiry', 'visitor JWT: it expires', AUTH),
  guard('visitor-jwt-lifetime', 'visitor JWT: it expires soon', AUTH),
  guard('visitor-jwt-length', 'visitor JWT: its length', AUTH),
  guard('reached-link-of-site', 'reaching a site: the share link is of the site', LINKS),
  guard('reached-link-active', 'reaching a site: the share link is active', LINKS),
  guard(
    'reached-preview-of-site',
    'reaching a site: a preview is of the site',
    PREVIEWS,
    at('operand 1', keep('object')),
  ),
  guard(
    'declared-claims',
    'reaching a site: only claims that the schema declares',
    AUTH,
    at('value', unwrap),
  ),
  guard('unsigned-claims-size', 'reaching a site: the size of unsigned claims', AUTH, never),
  guard('signed-claims-size', 'reaching a site: too many signed claims', AUTH, at('operand 2', never)),
  guard('excess-claims', 'reaching a site: a token with too many claims', AUTH, at('operand 1', never)),
  guard('replaced-key', 'visitors: what a replaced key has signed is refused on open sites', AUTH),
  guard('schema-claims', 'a schema has no claims that are about the token', SCHEMA),
  guard(
    'condition-open',
    'conditions: nothing follows a tag without an end',
    'test/imports/conditions.test.ts',
  ),
  guard('condition-budget', 'conditions: one budget for a request', CONDITIONS, at('argument 3')),
  guard('condition-length', 'conditions: their length counts', [CONDITIONS, BUDGET]),
  guard(
    'condition-budget-shared',
    'conditions: one budget with and without claims',
    CONDITIONS,
    at('argument 2'),
  ),
  guard('condition-cache', 'conditions: equal ones are evaluated once', CONDITIONS),
  guard('claim-text-once', 'conditions: a claim is turned into text once', CONDITIONS),
  guard('claim-depth', 'conditions: a claim that nests too deep', CONDITIONS),
  guard(
    'label-budget',
    'conditions: labels share a budget',
    BUDGET,
    at('value', becomes('new Proxy({}, { get: (_, key) => (...given) => $()[key](...given) })')),
  ),
  guard(
    'unsigned-claims-apart',
    'claims: unsigned claims are kept separate',
    CONDITIONS,
    at('body', becomes('({ $(member 2), $(member 1) })')),
  ),
  guard('condition-no-calls', 'conditions: no calls', CONDITIONS),
  guard('condition-reserved-names', 'conditions: no names of JavaScript', CONDITIONS),
  guard('condition-declared-claims', 'conditions: claims of the schema', CONDITIONS, always),
  guard(
    'label-shown',
    'visitors are told no title of a page that they are not shown',
    VISITORS,
    at('operand 3'),
  ),
  guard(
    'label-generated-shown',
    'visitors are told no title of a generated page that they are not shown',
    'test/content/generated-links.test.ts',
  ),
  guard(
    'label-anchor-conditions',
    'visitors are told no title of a heading that they are not shown',
    TITLES,
    at('value', becomes('stored')),
  ),
  guard('heading-page-conditions', 'visitors are told no heading of a page that they are not shown', TITLES),
  guard('share-key-of-space', 'a share key that opens nothing shows no space', VISITORS),
  guard('share-link-active', 'a share link that is not active shows no space', VISITORS),
  guard(
    'shown-site-space-count',
    'visitors count only the site spaces that they are shown',
    VISITORS,
    at('object'),
  ),
  guard('schema-keeps-conditions', 'an adaptive schema breaks no condition', SCHEMA),
  guard('page-condition-claims', 'conditions of pages: claims that a site knows', PAGES),
  guard(
    'claim-name-with-dot',
    'conditions of pages: a name with a dot is one name',
    PAGES,
    at('condition', always),
  ),
  guard(
    'claims-of-adaptive-site',
    'conditions of pages: a site without adaptive content knows no claims',
    PAGES,
    replace({ ' and (adaptive_content or adaptive_schema is not null)': '' }),
  ),
  guard('schema-page-conditions', 'conditions of pages: a schema breaks none', PAGES, at('element 2')),
  guard(
    'page-conditions-of-site',
    'conditions of pages: only spaces of the site',
    PAGES,
    replace({ 'where site_space.site_id = ': "where site_space.site_id <> '' or site_space.site_id = " }),
  ),
  guard(
    'page-conditions-deleted-spaces',
    'conditions of pages: no deleted spaces',
    PAGES,
    replace({ ' and space.deleted_at is null': '' }),
  ),
  guard('page-conditions-hook', 'conditions of pages: those of the active revision', PAGES, at('element 1')),
  guard('page-conditions-of-space', 'conditions of pages: not what change requests propose', PAGES),
  guard('page-conditions-copied', 'conditions of pages: those of copies', PAGES),
  guard('share-link-limit', 'the number of share links', LINKS),
  guard('row-lock', 'one change of a site at a time is made', LINKS, replace({ ' for no key update': '' })),
  guard('shown-parts', 'visitors: files and reusable contents of a revision are those that pages use', PARTS),
  guard('shown-files', 'visitors: listed files are those that pages use', PARTS, never),
  guard(
    'shown-pages-parts',
    'visitors: pages that are not for them use nothing',
    PARTS,
    at('call 3', keep('argument 2')),
  ),
  guard(
    'draft-site-space',
    'drafts: no visitor is shown a site space',
    DRAFTS,
    replace({ 'when site_space.draft then': 'when false then' }),
  ),
  guard(
    'draft-section',
    'drafts: no visitor is shown a section',
    DRAFTS,
    replace({ '.draft`)} or': '.draft`)} and false or' }),
  ),
  guard(
    'draft-group',
    'drafts: no visitor is shown what is in a group',
    DRAFTS,
    replace({ 'where draft)': 'where false)' }),
  ),
  guard(
    'draft-group-of-groups',
    'drafts: no visitor is shown what is in a group within a group',
    DRAFTS,
    replace({ 'on parent.id = above.parent_id': 'on false' }),
  ),
  guard('draft-in-structure', 'drafts: no visitor sees one in a structure', DRAFTS, at('operand 1', always)),
];
