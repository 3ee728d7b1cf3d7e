import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { place, setQuery } from '../../data/navigation/location.ts';
import { namespaceStore } from '../../data/variables/stores.ts';
import { Head } from '../../parts/head/head.tsx';
import { Variables } from '../../parts/variables/variables.tsx';

/** The variables of a namespace; the open one is part of the address. */
export function VariablesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const store = useMemo(() => namespaceStore(namespace), [namespace]);
  const open = useMemo(() => signal(place.peek().query.get('name') ?? ''), []);
  useEffect(() => open.subscribe((name) => setQuery({ name })), [open]);
  return (
    <div class="scroll">
      <Head title="Variables" name={`Variables of ${namespace}`} />
      <div class="padded-sides">
        <Variables store={store} open={open} />
      </div>
    </div>
  );
}
