import type { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';

/** A condition to start from, and what it requires. */
export interface ConditionTemplate {
  description: string;
  condition: string;
}

const IDENTIFIER = /^[\w$]+$/;

const claim = (prefix: string, name: string): string =>
  IDENTIFIER.test(name) ? `${prefix}.${name}` : `${prefix}["${name}"]`;

/** Makes two conditions for each claim of a schema: that it is true, and that it is not. */
export function templateConditions({ properties }: AdaptiveSchema): ConditionTemplate[] {
  const { unsigned, ...signed } = properties;
  const conditionsOn = (
    prefix: string,
    label: string,
    claims: Record<string, { description: string } | undefined>,
  ) =>
    Object.entries(claims).flatMap(([name, schema]) => {
      const about = schema?.description ? `: ${schema.description}` : '';
      return [
        { description: `${label} ${name} is true${about}`, condition: claim(prefix, name) },
        { description: `${label} ${name} is not true${about}`, condition: `!${claim(prefix, name)}` },
      ];
    });
  return [
    ...conditionsOn('visitor.claims', 'The claim', signed),
    ...conditionsOn('visitor.claims.unsigned', 'The unsigned claim', unsigned?.properties ?? {}),
  ];
}
