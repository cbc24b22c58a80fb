import { hash } from 'node:crypto';
import type { ProcessingError } from '../../../schema/json/processing-error.ts';
import { byteLimit } from '../byte-limit.ts';
import { addHtmlDescriptions } from './descriptions.ts';
import { MAX_SPEC_URL, SPEC_DOCUMENT_LIMIT } from './limits.ts';
import { versionIn } from './openapi-version.ts';
import { countOperations } from './operations.ts';
import { parseError, reportedPointer, storableStart } from './problems.ts';
import { parseSpecText } from './read.ts';
import { type SpecRef, visitReferences } from './references.ts';

/** A file of an OpenAPI spec as it was received. */
export interface SpecFile {
  bytes: Uint8Array;
  /** The URL it was requested from, if it was fetched. */
  url?: string;
  /** The URL after redirects, to which its own references are relative. */
  base?: string;
}

/** A file that is referred to but missing, and where the first reference to it is. */
export interface MissingFile {
  url: string;
  path: string;
  file?: string;
}

/** The content of a version of an OpenAPI spec. */
export interface BundledSpec {
  /** SHA-256 of the hashes of all files. */
  hash: string;
  format: 'json' | 'yaml';
  /** SHA-256 of the first file. */
  source: string;
  /** The bundled JSON document, and its SHA-256. */
  document: { sha256: string; bytes: Uint8Array };
  operations: number;
}

export type BundleResult =
  | { spec: BundledSpec }
  | { missing: readonly MissingFile[] }
  | { errors: readonly ProcessingError[] };

/** Maximum number of errors reported for one spec. */
const MAX_ERRORS = 100;

/** Maximum number of missing files returned at once, which is more than are fetched for one spec. */
const MAX_MISSING = 100;

interface ParsedFile {
  value: unknown;
  url: string | undefined;
  base: string | undefined;
  /** The key of the file in `x-ext`; undefined for the first file. */
  key: string | undefined;
}

/**
 * Bundles an OpenAPI document (the first file) and the files it refers to into one document: the other files become members
 * of its `x-ext`, and all references become local, so that circular ones can stay. Adds descriptions in HTML. Everything
 * else is unchanged. Returns the missing files, if there are any.
 */
export function bundleSpec(files: readonly [SpecFile, ...SpecFile[]]): BundleResult {
  const errors: ProcessingError[] = [];
  const parsed: ParsedFile[] = [];
  let format: 'json' | 'yaml' = 'json';
  for (const [index, { bytes, url, base = url }] of files.entries()) {
    const read = parseSpecText(bytes);
    if ('error' in read) errors.push({ ...read.error, ...(index > 0 && { file: url }) });
    else {
      if (index === 0) format = read.format;
      parsed.push({ value: read.value, url, base, key: index === 0 ? undefined : `${index}` });
    }
  }
  const [first] = parsed;
  if (!first || errors.length > 0) return { errors };
  const problem = openApiProblem(first.value);
  if (problem) return { errors: [problem] };
  const resolved = resolveReferences(parsed);
  if ('missing' in resolved || 'errors' in resolved) return resolved;
  const document = first.value as Record<string, unknown>;
  if (parsed.length > 1)
    document[resolved.member] = Object.fromEntries(parsed.slice(1).map(({ key, value }) => [key, value]));
  addHtmlDescriptions(document);
  const bytes = Buffer.from(JSON.stringify(document));
  if (bytes.byteLength > SPEC_DOCUMENT_LIMIT)
    return { errors: [parseError(`The bundled document is larger than ${byteLimit(SPEC_DOCUMENT_LIMIT)}.`)] };
  const hashes = files.map((file) => hash('sha256', file.bytes));
  return {
    spec: {
      hash: hash('sha256', hashes.join()),
      format,
      source: hashes[0] as string,
      document: { sha256: hash('sha256', bytes), bytes },
      operations: countOperations(document),
    },
  };
}

/** The supported versions of OpenAPI and Swagger. */
const SUPPORTED_VERSIONS = { openapi: /^3\.[0-2](?:[.-]|$)/, swagger: /^2(?:\.0)?$/ };

/** Returns why a value is not a supported OpenAPI document; undefined if it is. */
function openApiProblem(value: unknown): ProcessingError | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return parseError('It is not an OpenAPI document: it is not an object.', { path: [] });
  const members = value as Record<string, unknown>;
  const named = versionIn(members);
  if (!named)
    return parseError(
      'It is not an OpenAPI document: it has neither "openapi" nor "swagger" with a version.',
      {
        path: [],
      },
    );
  const { member, version } = named;
  if (!SUPPORTED_VERSIONS[member].test(version))
    return parseError('Only Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are supported.', { path: [member] });
  for (const name of ['info', 'paths', 'webhooks', 'components', 'definitions']) {
    const member = members[name];
    if (member !== undefined && (typeof member !== 'object' || member === null || Array.isArray(member)))
      return parseError(`"${name}" must be an object.`, { path: [name] });
  }
  return undefined;
}

/** Makes all references local to the first file; returns the name of the member that will contain the other files. */
function resolveReferences(
  files: readonly ParsedFile[],
): { member: string } | Exclude<BundleResult, { spec: BundledSpec }> {
  const member = unusedMember(files[0]?.value as object);
  const known = new Map<string, ParsedFile>();
  for (const file of files) {
    for (const address of [file.base, file.url]) if (address !== undefined) known.set(address, file);
  }
  const missing = new Map<string, MissingFile>();
  const errors: ProcessingError[] = [];
  const changes: (() => void)[] = [];
  for (const file of files) {
    visitReferences(file.value, (ref) => {
      const target = targetOf(ref, file);
      const inFile = file.key !== undefined && file.url ? { file: file.url } : {};
      if ('problem' in target) {
        if (!ref.isImplicit && errors.length < MAX_ERRORS)
          errors.push(parseError(target.problem, { path: ref.path, ...inFile }));
        return;
      }
      const { url, pointer } = target;
      const found = url === undefined ? file : known.get(url);
      if (!found) {
        if (url !== undefined && !ref.isImplicit && !missing.has(url) && missing.size < MAX_MISSING)
          missing.set(url, { url, path: reportedPointer(ref.path), ...inFile });
        return;
      }
      const within = found.key === undefined ? '' : `/${member}/${found.key}`;
      changes.push(() => {
        ref.holder[ref.key] = `#${within}${pointer}`;
      });
    });
  }
  if (errors.length > 0) return { errors };
  if (missing.size > 0) return { missing: [...missing.values()] };
  for (const change of changes) change();
  return { member };
}

/** Resolves a reference to the URL of another file, undefined for the same file, and a JSON pointer into it. */
function targetOf(
  { address, isImplicit }: SpecRef,
  file: ParsedFile,
): { url: string | undefined; pointer: string } | { problem: string } {
  const [location = '', pointer = ''] = splitOnce(address, '#');
  const shown = storableStart(address, 200);
  // The name of a schema rather than an address.
  if (isImplicit && !/[#/.]/.test(address)) return { problem: 'It is a name.' };
  if (location === '') {
    // A named anchor works only in the first file, which stays the root of the document.
    if (file.key === undefined || pointer === '' || pointer.startsWith('/'))
      return { url: undefined, pointer };
    return { problem: `The reference "${shown}" is not a JSON pointer.` };
  }
  if (!URL.canParse(location, file.base))
    return {
      problem:
        file.base === undefined
          ? `The reference "${shown}" leads to another document, which requires an absolute URL unless the document itself was fetched from a URL.`
          : `The reference "${shown}" is not a URL.`,
    };
  const url = new URL(location, file.base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { problem: `The reference "${shown}" is neither http nor https.` };
  if (url.href.length > MAX_SPEC_URL)
    return { problem: `The reference "${shown}" is a URL of more than ${MAX_SPEC_URL} characters.` };
  if (pointer !== '' && !pointer.startsWith('/'))
    return { problem: `The reference "${shown}" is not a JSON pointer.` };
  return { url: url.href, pointer };
}

const splitOnce = (text: string, mark: string): [string, string] => {
  const index = text.indexOf(mark);
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + 1)];
};

/** The extension that bundlers use for other files, or a similar one if the document already has it. */
function unusedMember(document: object): string {
  let member = 'x-ext';
  for (let number = 2; Object.hasOwn(document, member); number++) member = `x-ext-${number}`;
  return member;
}
