import { z } from 'zod';

/** A problem that was found when a prebuilt value was validated. */
interface Problem {
  path: readonly PropertyKey[];
  message: string;
}

/**
 * Changes a schema so that it accepts instances of a class unread, for they were validated when they were built:
 * `problemsOf` returns the problems that were found then. Clones of the schema, such as `describe` makes, do the same.
 */
export function acceptPrebuilt<Schema extends z.core.$ZodType, Prebuilt>(
  schema: Schema,
  prebuilt: abstract new (...parameters: never) => Prebuilt,
  problemsOf: (value: Prebuilt) => readonly Problem[] = () => [],
): Schema {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    const { value: input } = payload;
    if (!(input instanceof prebuilt)) return run(payload, context);
    for (const { path, message } of problemsOf(input))
      payload.issues.push({ code: 'custom', path: [...path], message, input });
    return payload;
  };
  if (schema instanceof z.ZodType) {
    const { clone } = schema;
    schema.clone = (...given) => acceptPrebuilt(clone.apply(schema, given), prebuilt, problemsOf);
  }
  return schema;
}
