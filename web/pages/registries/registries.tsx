import { useMemo } from 'preact/hooks';
import { namespaceRegistries } from '../../data/registries/source.ts';
import { Head } from '../../parts/head/head.tsx';
import { Registries } from '../../parts/registries/registries.tsx';

/** The container registries of a namespace. */
export function RegistriesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const source = useMemo(() => namespaceRegistries(namespace), [namespace]);
  return (
    <div class="scroll">
      <Head title="Registries" name={`Registries of ${namespace}`} />
      <Registries
        source={source}
        none="No registries yet. Images of a registry that asks for a user need its credentials; they are sealed and not shown again."
      />
    </div>
  );
}
