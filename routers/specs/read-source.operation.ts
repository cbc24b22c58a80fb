import type { ProcessingErrorCode } from '../../schema/enums.ts';
import type { ProcessingError } from '../../schema/json/processing-error.ts';
import type { Services } from '../base/context.ts';
import type { Validators } from '../base/outbound-ports.ts';
import { DomainError, LimitExceeded } from '../engine/errors.ts';
import type { BundledSpec, MissingFile, SpecFile } from '../engine/specs/bundle.ts';
import { MAX_SPEC_URL, SPEC_LIMIT } from '../engine/specs/limits.ts';
import { NO_OBJECTS } from '../engine/store/objects.ts';
import type { ApiOutline } from '../engine/templates/api-outline.ts';

/** Limits for the documents that an OpenAPI spec refers to: their number, and their bytes in total. */
const REFERENCE_LIMITS = { files: 50, bytes: SPEC_LIMIT };

/** The time limit for fetching an OpenAPI spec and the documents it refers to, in milliseconds. */
const FETCH_TIME = 60_000;

const ACCEPT = 'application/json, application/yaml, text/yaml, text/plain;q=0.9, */*;q=0.8';

/** The source of an OpenAPI spec, and the validators of its last response. */
export interface Source {
  organization: string;
  sourceUrl: string | null;
  sourceText: string | null;
  validators: Validators;
}

export type SourceResult =
  | { unchanged: true }
  | { spec: BundledSpec; outline: ApiOutline | undefined; bytes: Uint8Array; validators: Validators }
  | { code: ProcessingErrorCode; errors: readonly ProcessingError[] };

const failure = (code: ProcessingErrorCode, message: string, place: Partial<ProcessingError> = {}) => ({
  code,
  errors: [{ message, code, ...place }],
});

/** Reads an OpenAPI spec and the documents it refers to. Errors in these are returned, never thrown. */
export async function readSource(
  services: Pick<Services, 'outbound' | 'storage' | 'background' | 'logger'>,
  source: Source,
): Promise<SourceResult> {
  const reader = createFetcher(services.outbound);
  let first: SpecFile;
  let validators: Validators = {};
  if (source.sourceUrl !== null) {
    const response = await reader.fetch(source.sourceUrl, SPEC_LIMIT, source.validators);
    if ('unchanged' in response || 'code' in response) return response;
    first = { bytes: response.bytes, url: source.sourceUrl, base: response.url };
    validators = response.validators;
  } else {
    const stored = await services.storage.read(source.sourceText as string);
    first = { bytes: Buffer.concat(await stored.toArray()) };
  }
  const files: [SpecFile, ...SpecFile[]] = [first];
  const engine = services.background.for({ organization: source.organization, user: source.organization });
  for (;;) {
    const result = await engine.run('bundle', { files }, NO_OBJECTS).catch((error: unknown) => {
      if (error instanceof LimitExceeded) return failure('PARSE_ERROR', error.message);
      // The service is stopping or overloaded.
      if (error instanceof DomainError) throw error;
      // A retry would fail in the same way.
      services.logger.error({ err: error }, 'an OpenAPI spec could not be processed');
      return failure('PARSE_ERROR', 'The service failed to process the document.');
    });
    if ('errors' in result) return { code: 'PARSE_ERROR', errors: result.errors };
    if ('spec' in result) {
      // The documents it refers to may change while it does not, so a conditional request would miss that.
      const { spec, outline } = result;
      return { spec, outline, bytes: first.bytes, validators: files.length > 1 ? {} : validators };
    }
    const fetched = await reader.fetchReferenced(result.missing);
    if ('code' in fetched) return fetched;
    for (const file of fetched.files) files.push(file);
  }
}

/** Fetches the documents of one OpenAPI spec, within the limits for all of them. */
function createFetcher(outbound: Services['outbound']) {
  const signal = AbortSignal.timeout(FETCH_TIME);
  let { files, bytes } = REFERENCE_LIMITS;

  async function fetch(
    url: string,
    maxBytes: number,
    validators: Validators,
    place?: Partial<ProcessingError>,
  ) {
    const response = await outbound.getIfChanged(url, { maxBytes, accept: ACCEPT, signal, validators });
    if ('url' in response && response.url.length > MAX_SPEC_URL)
      return failure(
        'FETCH_ERROR',
        `The document redirects to a URL of more than ${MAX_SPEC_URL} characters.`,
        place,
      );
    if (!('problem' in response)) return response;
    return signal.aborted
      ? failure('FETCH_TIMEOUT', `Fetching the document took more than ${FETCH_TIME / 1000} seconds.`, place)
      : failure(response.isTimeout ? 'FETCH_TIMEOUT' : 'FETCH_ERROR', response.problem, place);
  }

  return {
    fetch,
    async fetchReferenced(missing: readonly MissingFile[]) {
      const fetched: SpecFile[] = [];
      for (const { url, path, file } of missing) {
        const location = { path, ...(file !== undefined && { file }) };
        // guard: spec-files-limit
        if (files-- === 0)
          return failure(
            'FETCH_ERROR',
            `The document refers to more than ${REFERENCE_LIMITS.files} documents.`,
            location,
          );
        const response = await fetch(url, bytes, {}, location);
        if ('code' in response) return response;
        if ('unchanged' in response)
          throw new Error('the response to an unconditional request was "unchanged"');
        bytes -= response.bytes.byteLength;
        fetched.push({ bytes: response.bytes, url, base: response.url });
      }
      return { files: fetched };
    },
  };
}
