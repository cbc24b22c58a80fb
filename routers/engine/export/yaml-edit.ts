/** Changes values in a YAML mapping without touching the lines of the others. */

import { dump } from 'js-yaml';
import { parseYaml } from '../import/yaml.ts';
import { sameJson } from '../store/canonical.ts';
import { isRecord } from '../values.ts';

/** Match the first line of an entry of a mapping, with a quoted or plain key. */
const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')[ \t]*:(?:[ \t]|$)/;
const PLAIN = /^([^\s"'#&*!|>%@`?:,[\]{}-][^:#]*):(?:[ \t]|$)/;

function keyOf(line: string): string | undefined {
  const [, double, single] = QUOTED.exec(line) ?? [];
  return double ?? single ?? PLAIN.exec(line)?.[1]?.trimEnd();
}

/** Serializes a mapping to YAML, with a line ending at the end; empty if it has no entries. */
export const writeMapping = (mapping: { [key: string]: unknown }): string =>
  Object.keys(mapping).length === 0 ? '' : dump(mapping, { lineWidth: 80, noRefs: true });

/**
 * Sets entries of a YAML mapping (with LF line endings); undefined removes an entry. All other lines stay the same; if that
 * is not possible because of how it is written, the whole mapping is serialized again.
 */
export function editMapping(yaml: string, changes: ReadonlyMap<string, unknown>): string {
  const read = parseYaml(yaml);
  const before = 'value' in read && isRecord(read.value) ? read.value : {};
  const wanted: Record<string, unknown> = { ...before };
  for (const [key, value] of changes) {
    if (value === undefined) delete wanted[key];
    else wanted[key] = value;
  }
  const edited = editLines(yaml, changes);
  const again = parseYaml(edited);
  const value = 'value' in again ? (again.value ?? {}) : undefined;
  return sameJson(value, wanted) ? edited : writeMapping(wanted);
}

function editLines(yaml: string, changes: ReadonlyMap<string, unknown>): string {
  const left = new Map(changes);
  const out: string[] = [];
  let isReplaced = false;
  const lines = yaml.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    const key = keyOf(line);
    // Indented lines and list items belong to the entry above; comments and blank lines stay.
    if (key !== undefined) {
      isReplaced = left.has(key);
      if (isReplaced) {
        const value = left.get(key);
        if (value !== undefined) out.push(writeMapping({ [key]: value }).trimEnd());
        left.delete(key);
      }
    } else if (line.trim() === '' || line.startsWith('#')) isReplaced = false;
    if (!isReplaced) out.push(line);
  }
  for (const [key, value] of left)
    if (value !== undefined) out.push(writeMapping({ [key]: value }).trimEnd());
  return out.map((line) => `${line}\n`).join('');
}
