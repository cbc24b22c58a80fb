/**
 * The rings: server -> routers -> schema; inside routers features -> access -> engine; inside a feature what decides,
 * changes, reads and computes. Checked by `npm run check`; `test/checks/` proves each rule.
 */

/** The features, lowest first: each may know those before it. The engine is below all of them. */
const FEATURES = [
  'addresses',
  'access',
  'events',
  'audit',
  'branches',
  'conditions',
  'earlier-paths',
  'organizations',
  'placement',
  'spaces',
  'collections',
  'people',
  'permissions',
  'joining',
  'auth',
  'saml',
  'specs',
  'conversations',
  'content',
  'comments',
  'change-requests',
  'links',
  'embeds',
  'pdf',
  'imports',
  'translations',
  'audience',
  'hostnames',
  'sites',
  'search',
  'redirects',
  'urls',
  'webhooks',
  'installation',
];

/** What the engine computes with. */
const ENGINE_PACKAGES = [
  '@node-saml/node-saml',
  '@orama',
  'gemoji',
  'image-size',
  'js-yaml',
  'jsep',
  'katex',
  'limax',
  'markdown-it',
  'mime-types',
  'zod',
];

/** What commands use besides the installation: how a process begins, ends and fails, and what `openapi` prints. */
const COMMANDS_USE = [
  'routers/base/error-code',
  'server/config',
  'server/failures',
  'server/http/openapi',
  'server/shutdown',
  'server/system-errors',
  'server/version',
];

/** Modules of a feature whose name has no suffix: they compute. */
const COMPUTES = '^routers/(?!(engine|base|sql|response)/).+/[^/.]+[.]ts$';
/** What stands between procedures and data, and the one module that reads folders. */
const NOT_COMPUTING = '^routers/(access/|installation/folder-(source|target)[.]ts$)';
const ORM = 'node_modules/(@mikro-orm|kysely|pg)/';
const TRPC = 'node_modules/(@trpc|trpc-to-openapi)/';
const DISK = '^(node:)?(fs|fs/promises|child_process|net|http|https|dgram)$';
/** The two tables that refer to each other, each by a function that is called later. */
const MUTUAL = '^schema/entities/(space|revision)[.]ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'schema-is-the-core',
      comment: 'The schema imports neither routers nor server.',
      severity: 'error',
      from: { path: '^schema/' },
      to: { path: '^(routers|server|test)/' },
    },
    {
      name: 'routers-know-no-server',
      comment:
        'Procedures run over HTTP, tRPC and in tools alike: what they need of a running service is in their context.',
      severity: 'error',
      from: { path: '^routers/' },
      to: { path: '^(server|test)/' },
    },
    {
      name: 'engine-stands-alone',
      comment: 'Documents, versions and merges are computed from plain values alone, types included.',
      severity: 'error',
      from: { path: '^routers/engine/' },
      to: {
        pathNot: `^routers/engine/|^schema/json/|node_modules/(@types/)?(${ENGINE_PACKAGES.join('|')})/|^(node:)?(crypto|buffer|module)$`,
      },
    },
    {
      name: 'engine-has-no-folder-cycles',
      comment: 'A part of the engine can be read, tested and replaced without those above it.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^routers/engine/[^/]+$' },
      to: { circular: true },
    },
    {
      name: 'json-shapes-stand-alone',
      comment: 'The engine reaches what these reach.',
      severity: 'error',
      from: { path: '^schema/json/' },
      to: { pathNot: '^schema/json/|node_modules/zod/' },
    },
    {
      name: 'features-are-listed',
      comment: 'A new feature says which ones it stands on by its place in the list.',
      severity: 'error',
      from: {},
      to: { path: `^routers/(?!(engine|base|sql|response|${FEATURES.join('|')})/)[^/]+/` },
    },
    ...FEATURES.slice(0, -1).map((feature, index) => ({
      name: `features-meet-one-way-${feature}`,
      comment: 'A feature knows those before it; what follows from a change of content is a hook.',
      severity: 'error',
      from: { path: `^routers/${feature}/` },
      to: { path: `^routers/(${FEATURES.slice(index + 1).join('|')})/` },
    })),
    {
      name: 'base-knows-no-feature',
      comment:
        'What all features stand on imports none of them: types that it needs move down to it. Events and required permissions are shapes.',
      severity: 'error',
      from: { path: '^routers/(base|sql|response)/' },
      to: {
        path: `^routers/(${FEATURES.join('|')})/`,
        pathNot: '^routers/(events/events[.]api|access/needs)[.]ts$',
      },
    },
    {
      name: 'commands-are-tools',
      comment:
        'The command line opens the installation as any tool does, by server/tool: what it needs besides belongs there.',
      severity: 'error',
      from: { path: '^server/cli/' },
      to: {
        path: '^server/|^routers/(?!engine/)',
        pathNot: `^server/(tool|cli)/|^(${COMMANDS_USE.join('|')})[.]ts$`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-tests-in-the-product',
      comment: 'The product must run without its tests.',
      severity: 'error',
      from: { path: '^(server|routers|schema)/' },
      to: { path: '^test/' },
    },
    {
      name: 'one-table-of-contents',
      comment:
        'Routers meet in routers/index.ts alone; features meet through .api, .operation and pure modules.',
      severity: 'error',
      from: { pathNot: '^routers/index[.]ts$' },
      to: { path: '[.]router[.]ts$' },
    },
    {
      name: 'api-only-presents',
      comment:
        'A public object is a schema and a synchronous presenter: it queries nothing and knows no procedure.',
      severity: 'error',
      from: { path: '[.]api[.]ts$' },
      to: {
        path: `${ORM}|${TRPC}|${DISK}|[.](router|operation|query|procedures)[.]ts$`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'operations-know-no-request',
      comment:
        'An operation takes entities and a unit of work, so that procedures, jobs and tools can share it.',
      severity: 'error',
      from: { path: '[.]operation[.]ts$' },
      to: { path: `${TRPC}|^routers/base/trpc[.]ts$|[.](router|procedures)[.]ts$` },
    },
    {
      name: 'computing-is-pure',
      comment: 'A module without a suffix computes on plain values, so that it is tested without a database.',
      severity: 'error',
      from: { path: COMPUTES, pathNot: NOT_COMPUTING },
      to: {
        path: `${ORM}|${TRPC}|${DISK}|^routers/base/trpc[.]ts$|^routers/access/(procedures|load)[.]ts$|[.](router|operation|query|procedures)[.]ts$`,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or three.',
      severity: 'error',
      from: { pathNot: MUTUAL },
      to: { circular: true, viaOnly: { pathNot: MUTUAL } },
    },
    {
      name: 'no-dev-dependencies-in-the-product',
      comment: 'What the product imports must be installed where it runs.',
      severity: 'error',
      // Packing the client is done where it is developed.
      from: {
        path: '^(server|routers|schema)/',
        pathNot: '^server/client/(pack|router-type|declared-types)[.]ts$',
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-unlisted-packages',
      comment: 'A package that package.json does not name is there by chance.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'resolvable',
      comment: 'An import that leads nowhere fails when it is reached.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data|test/.*/fixtures)/' },
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
