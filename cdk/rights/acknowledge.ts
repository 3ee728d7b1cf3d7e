import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Acknowledges findings of the security rules for a construct and its children, each by its exact name and with a reason. A
 * rule with details in brackets is acknowledged only with these details.
 */
export function acknowledge(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const rules = Object.entries(reasons).map(([id, reason]) => ({ id: `AwsSolutions-${id}`, reason }));
  Validations.of(scope).acknowledge(...rules);
}
