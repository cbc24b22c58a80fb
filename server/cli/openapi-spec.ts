import { readFile, stat, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { byteLimit } from '../../routers/engine/byte-limit.ts';
import type { PublicationStep } from '../../routers/installation/specs.api.ts';
import { ifPresent } from '../system-errors.ts';
import { EXIT_INCOMPLETE, IncompleteError, UsageError } from './exit-codes.ts';
import { listAll, withInstallation } from './installation.ts';
import { helpText, organizationOption } from './options.ts';
import { note, pluralize, print, printJson, printTable } from './output.ts';

interface SpecOptions {
  organization?: string;
  json?: true;
}

const STEPS: Record<PublicationStep, string> = {
  storing: 'Storing the document ...',
  processing: 'Processing it ...',
};

/** `openapi-spec publish`, `openapi-spec read`, `openapi-spec list` and `openapi-spec delete`. */
export function addOpenApiSpecCommands(program: Command): void {
  const spec = program.command('openapi-spec').description('OpenAPI specs of organizations');
  addPublish(spec);
  addRead(spec);
  addList(spec);
  addDelete(spec);
}

function addPublish(spec: Command): void {
  spec
    .command('publish')
    .description(
      'publish a document as the latest version of an OpenAPI spec, creating the spec if necessary',
    )
    .argument('<file>', 'an OpenAPI document in JSON or YAML')
    .requiredOption('--slug <slug>', 'slug of the spec')
    .addOption(organizationOption())
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      helpText(
        `Waits until the document is processed, whether or not the service is running. A new version is created only if the content differs from the latest one. The exit code is ${EXIT_INCOMPLETE} if the document was rejected: the latest version is kept.`,
      ),
    )
    .action(async (file: string, { json, ...options }: SpecOptions & { slug: string }) =>
      withInstallation(
        async ({ operator }) => {
          const document = await readDocument(file);
          const onProgress = (step: PublicationStep) => {
            if (!json && process.stderr.isTTY) note(STEPS[step]);
          };
          const { spec, version } = await operator.specs.publish({ ...options, document, onProgress });
          if (json) printJson({ spec, version });
          if (!version) {
            const errors = spec.lastProcessedErrors ?? [];
            if (!json) for (const error of errors) note(formatError(file, error));
            throw new IncompleteError(
              `the document was rejected: ${errors[0]?.message ?? spec.lastProcessErrorCode}`,
            );
          }
          if (json) return;
          const state = version.isNew ? 'new version' : 'unchanged, version';
          print(`${spec.slug}: ${state} ${version.id}, ${pluralize(version.operations, 'operation')}`);
        },
        { create: true },
      ),
    );
}

function addRead(spec: Command): void {
  spec
    .command('read')
    .alias('export')
    .description('print a version of an OpenAPI spec as it was received')
    .argument('<slug>', 'slug of the spec')
    .addOption(organizationOption())
    .option('--version <id>', 'id of a version, instead of the latest')
    .option('-o, --output <file>', 'write it to a file instead of standard output')
    .option('--json', 'print the result as JSON; only with --output')
    .action(
      async (
        slug: string,
        { output, json, ...options }: SpecOptions & { version?: string; output?: string },
      ) => {
        const isPrinted = output === undefined || output === '-';
        if (json && isPrinted)
          throw new UsageError(
            '--json needs --output with a file: without one, the document itself is printed.',
          );
        return withInstallation(async ({ operator }) => {
          const { document, version, format } = await operator.specs.read({ slug, ...options });
          if (isPrinted) return void process.stdout.write(document);
          await writeFile(output, document);
          if (json) printJson({ version, format, bytes: document.byteLength });
          else print(`${output}: version ${version}, ${document.byteLength} bytes`);
        });
      },
    );
}

function addList(spec: Command): void {
  spec
    .command('list')
    .description('list the OpenAPI specs, newest first')
    .addOption(organizationOption())
    .option('--json', 'print JSON')
    .action(async ({ json, organization }: SpecOptions) =>
      withInstallation(async ({ operator }) => {
        const specs = await listAll((paging) => operator.specs.list({ ...paging, organization }));
        if (json) return printJson(specs);
        printTable(
          ['slug', 'visibility', 'state', 'version', 'updated', 'source'],
          specs.map(({ slug, visibility, processingState, lastProcessErrorCode, ...spec }) => ({
            slug,
            visibility,
            state: lastProcessErrorCode ?? processingState,
            version: spec.lastVersion ?? 'none',
            updated: spec.updatedAt,
            source: spec.sourceURL ?? 'text',
          })),
        );
      }),
    );
}

function addDelete(spec: Command): void {
  spec
    .command('delete')
    .description('delete an OpenAPI spec with all of its versions; fails if pages use it')
    .argument('<slug>', 'slug of the spec')
    .addOption(organizationOption())
    .option('--force', 'delete it even if pages use it; they then say that it no longer exists')
    .option('--json', 'print the result as JSON')
    .action(async (slug: string, { json, ...options }: SpecOptions & { force?: true }) =>
      withInstallation(async ({ operator }) => {
        const removal = await operator.specs.delete({ slug, ...options });
        if (json) printJson(removal);
        else note('The OpenAPI spec was deleted.');
      }),
    );
}

async function readDocument(file: string): Promise<Uint8Array> {
  const { SPEC_LIMIT } = await import('../../routers/engine/specs/limits.ts');
  const size = (await ifPresent(stat(file)))?.size;
  if (size === undefined) throw new Error(`There is no file ${file}.`);
  if (size > SPEC_LIMIT)
    throw new IncompleteError(`the document was rejected: it has more than ${byteLimit(SPEC_LIMIT)}`);
  return readFile(file);
}

/** An error in the usual form, file:line:column, which editors recognize. */
function formatError(
  file: string,
  error: { code: string; message: string; path?: string; line?: number; column?: number; file?: string },
): string {
  const place = [error.file ?? file, error.line, error.column].filter((part) => part !== undefined).join(':');
  // The empty path stands for the whole document.
  const path = error.path ? ` (at ${error.path})` : '';
  return `${place}: ${error.code}: ${error.message}${path}`;
}
