import { computed, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

/** A signal computed from other signals and from properties; `inputs` are these properties. */
export function useDerived<T>(compute: () => T, inputs: readonly unknown[]): ReadonlySignal<T> {
  return useMemo(() => computed(compute), inputs);
}
