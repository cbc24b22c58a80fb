import { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import { DomainError } from '../engine/errors.ts';
import { checkCondition } from '../engine/expressions/conditions.ts';

/**
 * Refuses a condition that could never hold for a reader of the site.
 * @throws DomainError `invalid` if it cannot be read, or names a claim that the adaptive schema of the site does not have
 */
export function requireCondition(
  condition: string | null | undefined,
  { adaptiveSchema }: { adaptiveSchema: unknown },
  path = 'condition',
): void {
  if (condition === null || condition === undefined) return;
  const schema = adaptiveSchema === null ? null : AdaptiveSchema.parse(adaptiveSchema);
  const problem = checkCondition(condition, schema);
  if (problem !== undefined) throw new DomainError('invalid', problem, [{ path, message: problem }]);
}
