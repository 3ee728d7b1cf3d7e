import type { Condition, ServiceRecord } from '../../../clients/api/operations.ts';

const LOOKS = {
  True: { word: 'Ready', look: 'ready' },
  False: { word: 'Failed', look: 'is-failed' },
  Unknown: { word: 'In the making', look: 'is-running' },
} as const;

/** The state of a service or a revision in a word, with the reason on hover. */
export function StateWord({
  status,
  conditions = [],
}: {
  readonly status: Condition['status'];
  readonly conditions?: readonly Condition[] | undefined;
}) {
  const { word, look } = LOOKS[status];
  const reasons = conditions.filter(({ message }) => message !== '').map(({ name, message }) => `${name}: ${message}`);
  return (
    <span class={`service-state ${look}`} title={reasons.join('\n') || word}>
      <span class="service-dot" aria-hidden="true" />
      {word}
    </span>
  );
}

/** The state of a service. */
export function ServiceState({ service }: { readonly service: ServiceRecord }) {
  return <StateWord status={service.status} conditions={service.conditions} />;
}
