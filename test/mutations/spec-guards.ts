import type { Guard } from './guards.ts';

const SPECS = ['test/specs/specs.test.ts'];
const FETCHING = ['test/specs/fetching.test.ts'];
const DESCRIPTIONS = ['test/engine/specs/descriptions.test.ts'];
const PAGES = 'test/content/spec-pages.test.ts';
const LINKS = 'test/links/spec-links.test.ts';

/** Guards of OpenAPI specifications. */
export const SPEC_GUARDS: Guard[] = [
  {
    name: 'HTML in a description of a spec is text',
    file: 'routers/engine/specs/descriptions.ts',
    find: 'html: false',
    replace: 'html: true',
    tests: DESCRIPTIONS,
  },
  {
    name: 'a link in a description of a spec runs nothing',
    file: 'routers/engine/specs/descriptions.ts',
    find: 'SAFE_ADDRESS.test(address.trim())',
    replace: 'true',
    tests: DESCRIPTIONS,
  },
  {
    name: 'HTML that a spec brings along as that of a description is removed',
    file: 'routers/engine/specs/descriptions.ts',
    find: '    delete node[HTML_KEY];\n',
    replace: '',
    tests: DESCRIPTIONS,
  },
  {
    name: 'only public specs are read without a token',
    file: 'routers/specs/versions.query.ts',
    find: "    .where('visibility', '=', 'public')\n",
    replace: '',
    tests: SPECS,
  },
  {
    name: 'a version is found below its own spec',
    file: 'routers/specs/specs.procedures.ts',
    find: "        .where('spec_id', '=', ctx.spec.id)\n",
    replace: '',
    tests: SPECS,
  },
  {
    name: 'a spec is found below its own organization',
    file: 'routers/specs/specs.procedures.ts',
    find: "    .where('organization_id', '=', organization)\n",
    replace: '',
    tests: SPECS,
  },
  {
    name: 'the latest version of a spec is found below its own organization',
    file: 'routers/specs/versions.query.ts',
    find: "    .where('openapi_spec.organization_id', '=', organization)\n    .where('openapi_spec.slug', '=', slug),",
    replace: "    .where('openapi_spec.slug', '=', slug),",
    tests: [...SPECS, 'test/contract/foreign.test.ts', 'test/audience/visited-specs.test.ts'],
  },
  {
    name: 'content finds specs of its own organization',
    file: 'routers/specs/versions.query.ts',
    find: "    .where('openapi_spec.organization_id', '=', organization)\n    .where((eb) =>\n      eb.or([\n        eb('openapi_spec.slug'",
    replace: "    .where((eb) =>\n      eb.or([\n        eb('openapi_spec.slug'",
    tests: SPECS,
  },
  {
    name: 'the URL of a spec is not of a private network',
    file: 'routers/specs/sources.operation.ts',
    find: 'if (refusal !== undefined)',
    replace: 'if (refusal === "")',
    tests: SPECS,
  },
  {
    name: 'a redirect of a spec does not lead to a private network',
    file: 'server/hardening/outbound.ts',
    find: '      requireAllowed(url);\n      const response = await fetch(url.href, { dispatcher: reader, redirect',
    replace: '      const response = await fetch(url.href, { dispatcher: reader, redirect',
    tests: FETCHING,
  },
  {
    name: 'an address of IPv6 that is not public is not reached',
    file: 'server/hardening/outbound.ts',
    find: " && (parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6))",
    replace: '',
    tests: ['test/server/outbound.test.ts'],
  },
  {
    name: 'a version of a spec that content names is kept',
    file: 'routers/specs/retention.operation.ts',
    find: 'ids.filter((id) => !named.has(id))',
    replace: 'ids',
    tests: ['test/specs/retention.test.ts'],
  },
  {
    name: 'the documents that a spec refers to are bounded in number',
    file: 'routers/specs/read-source.operation.ts',
    find: 'if (files-- === 0)',
    replace: 'if (files-- === -1000)',
    tests: FETCHING,
  },
  {
    name: 'what a spec was before is not written over what it is now',
    file: 'routers/specs/processing.operation.ts',
    find: "    .where('processing', '=', processing)\n    .where('processing_state', '=', 'progress')\n",
    replace: '',
    tests: SPECS,
  },
  {
    name: 'validators of one URL are not sent to another',
    file: 'routers/specs/sources.operation.ts',
    find: '...(!isSameUrl && { etag: null, lastModified: null, failures: 0 }),',
    replace: '',
    tests: FETCHING,
  },
  {
    name: 'the files of specs are not collected as garbage',
    file: 'routers/content/garbage.operation.ts',
    find: '    union select document from openapi_spec_version\n',
    replace: '\n',
    tests: SPECS,
  },
  {
    name: 'pages say nothing of specifications of other organizations',
    file: 'routers/content/sources.query.ts',
    find: ".where('organization_id', '=', organization)",
    replace: '',
    tests: [PAGES],
  },
  {
    name: 'guests see no specification behind a reference',
    file: 'routers/links/targets.query.ts',
    find: 'surroundings.access.member.role ?',
    replace: 'true ?',
    tests: [LINKS],
  },
  {
    name: 'a deletion names only what the caller may view',
    file: 'routers/links/spec-referrers.query.ts',
    find: '.filter(({ space }) => visible.has(space))',
    replace: '',
    tests: [LINKS],
  },
  {
    name: 'a deletion asks what uses the specification',
    file: 'routers/specs/specs.router.ts',
    find: 'if (!force) await requireUnusedSpec(ctx, spec, ctx.actor);',
    replace: '',
    tests: [LINKS],
  },
];
