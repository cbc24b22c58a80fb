import { z } from 'zod';
import { newId } from '../../schema/ids.ts';

interface Json {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Json[];
  oneOf?: Json[];
  allOf?: Json[];
  default?: unknown;
  properties?: Record<string, Json>;
  required?: string[];
  items?: Json;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  format?: string;
}

const FORMATS: Record<string, string> = {
  uri: 'https://example.com/',
  email: 'someone@example.com',
  'date-time': '2100-01-01T00:00:00.000Z',
};

/** The least that an input takes: only what is required, each as short as may be. Names of things are ids of nothing. */
export function sample(schema: z.ZodType): unknown {
  return ofJson(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json);
}

function ofJson(json: Json): unknown {
  if ('const' in json) return json.const;
  if ('default' in json) return json.default;
  if (json.enum) return json.enum[0];
  const [choice] = json.anyOf ?? json.oneOf ?? [];
  if (choice) return ofJson(choice);
  if (json.allOf) return Object.assign({}, ...json.allOf.map((part) => ofJson(part)));
  if (json.type === 'object') {
    const required = (json.required ?? []).map((key) => [key, ofJson(json.properties?.[key] ?? {})]);
    return Object.fromEntries(required);
  }
  if (json.type === 'array')
    return Array.from({ length: json.minItems ?? 0 }, () => ofJson(json.items ?? {}));
  if (json.type === 'string')
    return FORMATS[json.format ?? ''] ?? newId().slice(0, Math.max(json.minLength ?? 0, 20));
  if (json.type === 'number' || json.type === 'integer') return json.minimum ?? 1;
  if (json.type === 'boolean') return false;
  return null;
}
