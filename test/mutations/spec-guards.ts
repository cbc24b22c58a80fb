import { guard } from './guard.ts';
import { always, at, keep, replace } from './mutations.ts';

const SPECS = ['test/specs/specs.test.ts'];
const FETCHING = ['test/specs/fetching.test.ts'];
const DESCRIPTIONS = ['test/engine/specs/descriptions.test.ts'];
const PAGES = 'test/content/spec-pages.test.ts';
const LINKS = 'test/links/spec-links.test.ts';

/** Guards of OpenAPI specifications. */
export const SPEC_GUARDS = [
  guard(
    'spec-description-html',
    'HTML in a description of a spec is text',
    DESCRIPTIONS,
    at('value of value', always),
  ),
  guard(
    'spec-description-links',
    'a link in a description of a spec runs nothing',
    DESCRIPTIONS,
    at('body', always),
  ),
  guard(
    'spec-description-own-html',
    'HTML that a spec brings along as that of a description is removed',
    DESCRIPTIONS,
  ),
  guard(
    'recursive-array-types',
    'the type of an array that contains itself ends',
    'test/engine/specs/spec-reader.test.ts',
  ),
  guard('spec-public-versions', 'only public specs are read without a token', SPECS),
  guard('spec-of-version', 'a version is found below its own spec', SPECS),
  guard('organization-of-spec', 'a spec is found below its own organization', SPECS),
  guard(
    'organization-of-latest-version',
    'the latest version of a spec is found below its own organization',
    [...SPECS, 'test/contract/foreign.test.ts', 'test/audience/visited-specs.test.ts'],
    at('object'),
  ),
  guard('organization-of-content-spec', 'content finds specs of its own organization', SPECS),
  guard('spec-url-private', 'the URL of a spec is not of a private network', SPECS),
  guard('spec-redirect-private', 'a redirect of a spec does not lead to a private network', FETCHING),
  guard(
    'outbound-ipv6',
    'an address of IPv6 that is not public is not reached',
    'test/server/outbound.test.ts',
    at('operand 2', always),
  ),
  guard(
    'spec-version-named',
    'a version of a spec that content names is kept',
    'test/specs/retention.test.ts',
    at('call 7', keep('object')),
  ),
  guard('spec-files-limit', 'the documents that a spec refers to are bounded in number', FETCHING),
  guard(
    'spec-processing-current',
    'what a spec was before is not written over what it is now',
    SPECS,
    keep('object of object'),
  ),
  guard('spec-validators-url', 'validators of one URL are not sent to another', FETCHING),
  guard(
    'spec-files-kept',
    'the files of specs are not collected as garbage',
    SPECS,
    replace({ 'union select document from openapi_spec_version': '' }),
  ),
  guard('spec-sources-organization', 'pages say nothing of specifications of other organizations', PAGES),
  guard('spec-guests', 'guests see no specification behind a reference', LINKS, at('condition', always)),
  guard('deletion-visible-referrers', 'a deletion names only what the caller may view', LINKS),
  guard('deletion-spec-use', 'a deletion asks what uses the specification', LINKS),
];
