import { z } from 'zod';

/** What was found when a held value was checked, for the place where it passes. */
interface Problem {
  path: readonly PropertyKey[];
  message: string;
}

/**
 * The schema itself, except that what is held as an instance of a class passes: it was checked before, with the result
 * that `problemsOf` gives. So do its clones, such as those that `describe` makes.
 */
export function acceptPrebuilt<Schema extends z.core.$ZodType, Held>(
  schema: Schema,
  held: abstract new (...parameters: never) => Held,
  problemsOf: (value: Held) => readonly Problem[] = () => [],
): Schema {
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    const { value: input } = payload;
    if (!(input instanceof held)) return run(payload, context);
    for (const { path, message } of problemsOf(input))
      payload.issues.push({ code: 'custom', path: [...path], message, input });
    return payload;
  };
  if (schema instanceof z.ZodType) {
    const { clone } = schema;
    schema.clone = (...given) => acceptPrebuilt(clone.apply(schema, given), held, problemsOf);
  }
  return schema;
}
