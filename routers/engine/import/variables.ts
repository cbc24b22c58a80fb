import { parseVariables } from './front-matter.ts';
import { type ImportNote, quote } from './report.ts';
import { readEarlierSetting, readSettingFile, type SourceFiles } from './source-files.ts';
import { parseYaml } from './yaml.ts';

/**
 * Reads the variables of a space. If the file can no longer be read, or is malformed, they stay as they were at the last
 * import: an empty set would delete them all.
 */
export async function loadVariables(
  files: SourceFiles,
  path: string,
  notes: ImportNote[],
): Promise<Record<string, string>> {
  if (!files.entries.has(path)) return {};
  const note = (severity: ImportNote['severity'], message: string, line?: number) =>
    notes.push({ file: path, severity, message, ...(line !== undefined && { line }) });

  const file = await readSettingFile(files, path);
  if ('problem' in file) {
    note('error', `${file.problem} No variables were imported.`);
    return {};
  }
  const parsed = parseVariablesFile(file.text);
  if ('problem' in parsed) {
    const message = `The file ${parsed.problem}.`;
    const last = await readEarlierSetting(files, path);
    const earlier = last && parseVariablesFile(last.file.text);
    if (earlier && !('problem' in earlier)) {
      files.kept.set(path, last.role);
      files.problems.set(path, { severity: 'error', message, line: parsed.line });
      return earlier.variables;
    }
    note('error', `${message} No variables were imported.`, parsed.line);
    return {};
  }
  for (const name of parsed.rejected)
    note('warning', `The variable ${quote(name)} has no plain name or value and was left out.`);
  return parsed.variables;
}

type Parsed = NonNullable<ReturnType<typeof parseVariables>> | { problem: string; line?: number | undefined };

function parseVariablesFile(text: string): Parsed {
  const yaml = parseYaml(text);
  if ('error' in yaml) return { problem: yaml.error, line: yaml.line };
  return parseVariables(yaml.value ?? {}) ?? { problem: 'is not a mapping of names to values' };
}
