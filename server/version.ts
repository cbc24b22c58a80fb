import packageJson from '../package.json' with { type: 'json' };

/** The version of Colophon: one number for the service, its API and its client. */
export const { version: VERSION } = packageJson;
