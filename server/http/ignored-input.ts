import { z } from 'zod';

/** The response header that lists the members and parameters that were ignored because the operation has no such input. */
export const IGNORED_HEADER = 'x-ignored-input';

/** Maximum number of names in the header, and of characters of each. */
const MAX_NAMES = 20;
const MAX_LENGTH = 64;
/** Maximum length of the header, in characters. */
const MAX_HEADER = 1000;
/** Maximum number of values of a body that are checked, so that a hostile one costs no more. */
const MAX_VISITED = 10_000;

/**
 * The members of a value that are not in its schema, as paths such as `changes.0.titel`, at most one more than fit into the
 * header. Objects that accept any member are not checked.
 */
export function unknownMembers(value: unknown, schema: z.core.$ZodType): string[] {
  const unknown: string[] = [];
  const open: KnownMember[] = [{ value, schema, path: [] }];
  for (let count = 0; count < MAX_VISITED && unknown.length <= MAX_NAMES; count += 1) {
    const visit = open.pop();
    if (!visit) break;
    for (const next of membersOf(visit)) {
      if (next.schema) open.push(next as KnownMember);
      else unknown.push(next.path.join('.'));
      if (unknown.length > MAX_NAMES || open.length > MAX_VISITED) break;
    }
  }
  return unknown;
}

interface Member {
  value: unknown;
  /** Undefined if the member is unknown. */
  schema: z.core.$ZodType | undefined;
  path: readonly (string | number)[];
}
type KnownMember = Member & { schema: z.core.$ZodType };

function* membersOf({ value, schema: given, path }: KnownMember): Generator<Member> {
  if (typeof value !== 'object' || value === null) return;
  const schema = unwrapped(given, value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield { value: item, schema: schema.element, path: [...path, index] };
  }
  // A catchall accepts any member, and a strict object rejects unknown ones by itself.
  if (!(schema instanceof z.ZodObject) || schema.def.catchall || Array.isArray(value)) return;
  for (const name of Object.keys(value)) {
    const member = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    yield { value: (value as Record<string, unknown>)[name], schema: member, path: [...path, name] };
  }
}

/** Removes optional, default and the like, and chooses from a union by its discriminator. */
function unwrapped(schema: z.core.$ZodType, value: object): z.core.$ZodType | undefined {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return unwrapped(schema.def.innerType, value);
  if (schema instanceof z.ZodPipe) return unwrapped(schema.def.in, value);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const key = (schema.def as { discriminator: string }).discriminator;
    const chosen = schema.options.find(
      (option) =>
        option instanceof z.ZodObject &&
        option.shape[key] instanceof z.ZodLiteral &&
        option.shape[key].values.has((value as Record<string, never>)[key] as never),
    );
    return chosen && unwrapped(chosen, value);
  }
  return schema;
}

/** The value of the header: names separated by commas, percent-encoded, and `...` if there are more. */
export function ignoredHeader(names: readonly string[]): string {
  let header = '';
  for (const [index, name] of names.entries()) {
    // guard: ignored-input-escaped
    const shown = encodeURIComponent(
      Array.from(name.toWellFormed().slice(0, 2 * MAX_LENGTH))
        .slice(0, MAX_LENGTH)
        .join('')
        .toWellFormed(),
    );
    if (index === MAX_NAMES || header.length + shown.length > MAX_HEADER) return `${header}...`;
    header += index === names.length - 1 ? shown : `${shown}, `;
  }
  return header;
}

/** Whether the client wants unknown members to be rejected: `Prefer: handling=strict` (RFC 7240). */
export const isStrict = (prefer: string | string[] | undefined): boolean =>
  prefer !== undefined &&
  /(?:^|[,;\s])handling\s*=\s*"?strict"?(?=$|[,;\s])/i.test(String(prefer).slice(0, 256));
