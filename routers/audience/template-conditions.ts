import type { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';

/** A condition to start from, and what it requires. */
export interface ConditionTemplate {
  description: string;
  condition: string;
}

const IDENTIFIER = /^[\w$]+$/;

const claim = (holder: string, name: string): string =>
  IDENTIFIER.test(name) ? `${holder}.${name}` : `${holder}["${name}"]`;

/** Makes two conditions for each claim of a schema: that it is true, and that it is not. */
export function templateConditions({ properties }: AdaptiveSchema): ConditionTemplate[] {
  const { unsigned, ...signed } = properties;
  const on = (holder: string, what: string, claims: Record<string, { description: string } | undefined>) =>
    Object.entries(claims).flatMap(([name, schema]) => {
      const about = schema?.description ? `: ${schema.description}` : '';
      return [
        { description: `${what} ${name} is true${about}`, condition: claim(holder, name) },
        { description: `${what} ${name} is not true${about}`, condition: `!${claim(holder, name)}` },
      ];
    });
  return [
    ...on('visitor.claims', 'The claim', signed),
    ...on('visitor.claims.unsigned', 'The unsigned claim', unsigned?.properties ?? {}),
  ];
}
