import { parseJson } from '../../../schema/json/parse-json.ts';
import { byteLimit } from '../byte-limit.ts';
import { isRecord } from '../values.ts';
import { isWithin, joinPath, normalizePath } from './paths.ts';
import { type ImportNote, quote } from './report.ts';
import { ImportError } from './source.ts';
import { parseYaml } from './yaml.ts';

export const CONFIG_PATH = '.gitbook.yaml';

/** The settings of HonKit, and of GitBook before it was a service. They count if there is no `.gitbook.yaml`. */
export const BOOK_PATH = 'book.json';

/** The file with the variables of the space, in the root folder of the documentation. */
export const VARIABLES_PATH = '.gitbook/vars.yaml';

/** Maximum length of the settings in characters. `.gitbook.yaml` collects the redirects of every page that was ever moved. */
const MAX_CONFIG_LENGTH = 1024 * 1024;

/** The settings of a source; all paths are relative to it. */
export interface ImportConfig {
  /** Folder of the documentation, `''` for the source itself. */
  root: string;
  readme?: string;
  summary?: string;
  /** Old paths in the space, each with the file to redirect to, as written. */
  redirects: (readonly [from: string, to: string])[];
}

/** The settings of a source without a configuration file. */
export const NO_CONFIG: Readonly<ImportConfig> = { root: '', redirects: [] };

/** The path of the settings of a source, if it has any. */
export const settingsPathIn = (paths: { has(path: string): boolean }): string | undefined =>
  [CONFIG_PATH, BOOK_PATH].find((path) => paths.has(path));

/** In files that were copied from the documentation of GitBook, this stands before `structure` and after a path. */
const INVISIBLE = '\u200B';

interface ParsedConfig {
  config: ImportConfig;
  notes: ImportNote[];
}

/** Parses the settings in the file with this path. Throws ImportError like {@link parseConfig}. */
export const parseSettings = (path: string, text: string): ParsedConfig =>
  path === BOOK_PATH ? parseBook(text) : parseConfig(text);

/** Parses `book.json`: where the documentation is. What else it has is for the tools that build it. */
function parseBook(text: string): ParsedConfig {
  const notes: ImportNote[] = [];
  const config: ImportConfig = { root: '', redirects: [] };
  const refuse = (problem: string) =>
    new ImportError('bad_configuration', `${BOOK_PATH} ${problem}; fix it, or add a ${CONFIG_PATH}.`);
  if (text.length > MAX_CONFIG_LENGTH) throw refuse(`is larger than ${byteLimit(MAX_CONFIG_LENGTH)}`);
  let book: unknown;
  try {
    book = parseJson(text);
  } catch (error) {
    throw refuse(`is not valid JSON: ${(error as Error).message}`);
  }
  if (!isRecord(book)) return { config, notes };
  if (typeof book.root === 'string') config.root = resolveInside('', book.root, 'root', BOOK_PATH);
  const structure = isRecord(book.structure) ? book.structure : {};
  for (const part of ['readme', 'summary'] as const) {
    const path = structure[part];
    if (typeof path === 'string') config[part] = resolvePart(part, config.root, path, BOOK_PATH, notes);
  }
  return { config, notes };
}

/**
 * Parses `.gitbook.yaml`. Unknown and malformed settings are reported and ignored, and so is a first page outside of the root
 * folder. Throws ImportError `bad_configuration` if it is not a YAML mapping, and `root_outside` if another path leads out of
 * the folder, since guessing could import the wrong files.
 */
export function parseConfig(text: string): ParsedConfig {
  const notes: ImportNote[] = [];
  const note = (message: string) => notes.push({ file: CONFIG_PATH, severity: 'warning', message });
  const config: ImportConfig = { root: '', redirects: [] };
  const result = parseYaml(text.replaceAll(INVISIBLE, ''), { maxLength: MAX_CONFIG_LENGTH });
  if ('error' in result) {
    const place = result.line === undefined ? '' : ` (line ${result.line})`;
    throw new ImportError('bad_configuration', `${CONFIG_PATH} ${result.error}${place}.`);
  }
  if (result.value === null || result.value === undefined) return { config, notes };
  if (!isRecord(result.value))
    throw new ImportError('bad_configuration', `${CONFIG_PATH} is not a mapping of settings.`);

  const { root, structure, redirects, ...unknown } = result.value;
  for (const key of Object.keys(unknown)) note(`The setting ${quote(key)} is unknown and was ignored.`);

  if (typeof root === 'string') config.root = resolveInside('', root, 'root', CONFIG_PATH);
  else if (root !== undefined && root !== null) note('The setting "root" is not a path and was ignored.');

  if (isRecord(structure)) {
    for (const [key, value] of Object.entries(structure)) {
      if (key !== 'readme' && key !== 'summary')
        note(`The setting "structure" has an unknown part ${quote(key)}.`);
      else if (typeof value === 'string')
        config[key] = resolvePart(key, config.root, value, CONFIG_PATH, notes);
      else if (value !== null) note(`The setting "structure.${key}" is not a path and was ignored.`);
    }
  } else if (structure !== undefined && structure !== null) {
    note('The setting "structure" is not a mapping and was ignored.');
  }

  if (isRecord(redirects)) {
    for (const [from, to] of Object.entries(redirects)) {
      if (typeof to === 'string') config.redirects.push([from, to]);
      else note(`The redirect of ${quote(from)} is not a path and was ignored.`);
    }
  } else if (redirects !== undefined && redirects !== null) {
    note('The setting "redirects" is not a mapping and was ignored.');
  }
  return { config, notes };
}

/** Resolves the path of a part of the structure; undefined, with a note, for a first page outside of the root folder. */
function resolvePart(
  part: 'readme' | 'summary',
  root: string,
  value: string,
  file: string,
  notes: ImportNote[],
): string | undefined {
  if (part === 'summary') return resolveInside(root, value, 'structure.summary', file);
  const path = pathInside(root, value);
  if (path === undefined) {
    // Some take the README of the repository for the first page, but only files in the root folder can be pages.
    const message = `The file ${quote(value)}, set as "structure.readme", is not in the root folder of the documentation; the setting was ignored.`;
    notes.push({ file, severity: 'error', message });
  }
  return path;
}

/** A path within a folder, relative to the source; undefined if it leads out of the folder. */
function pathInside(root: string, value: string): string | undefined {
  const isAbsolute = /^([\\/]|[a-z]:)/i.test(value);
  // People write "/docs" for a top-level folder, but it could just as well be an absolute path of the machine.
  const path = isAbsolute ? undefined : normalizePath(joinPath(root, value));
  return path !== undefined && (path === root || isWithin(root, path)) ? path : undefined;
}

function resolveInside(root: string, value: string, setting: string, file: string): string {
  const path = pathInside(root, value);
  if (path === undefined)
    throw new ImportError(
      'root_outside',
      `${file} sets "${setting}" to ${quote(value)}, which leads out of the folder; use a path within it.`,
    );
  return path;
}
