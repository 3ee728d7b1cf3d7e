import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings of the security rules for a construct and all below it, each by its exact name and for a reason. A
 * rule with details in brackets is accepted for just these: the bare name would accept nothing.
 */
export function acknowledge(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const rules = Object.entries(reasons).map(([id, reason]) => ({ id: `AwsSolutions-${id}`, reason }));
  Validations.of(scope).acknowledge(...rules);
}
