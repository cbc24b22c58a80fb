import { AdaptiveSchema } from '../../schema/json/adaptive-schema.ts';
import { DomainError } from '../engine/errors.ts';
import { checkNewCondition } from '../engine/expressions/conditions.ts';

/**
 * Validates a condition for the readers of a site.
 * @throws DomainError `invalid` if it is not valid, or uses a claim that the adaptive schema of the site does not declare
 */
export function requireCondition(
  condition: string | null | undefined,
  { adaptiveSchema }: { adaptiveSchema: unknown },
  path = 'condition',
): void {
  if (condition === null || condition === undefined) return;
  const schema = adaptiveSchema === null ? null : AdaptiveSchema.parse(adaptiveSchema);
  const problem = checkNewCondition(condition, schema);
  if (problem !== undefined) throw new DomainError('invalid', problem, [{ path, message: problem }]);
}
