import { addresses } from '../../data/navigation/addresses.ts';
import { Id } from './value.tsx';

/** The path of a workflow, as a link to its page. */
export function WorkflowLink({ namespace, workflow }: { readonly namespace: string; readonly workflow: string }) {
  return (
    <a class="link" href={addresses.tree(namespace, workflow)}>
      {workflow}
    </a>
  );
}

/** The id of a run, as a link to its page. */
export function RunLink({ namespace, id }: { readonly namespace: string; readonly id: string }) {
  return <Id id={id} of="the run’s id" href={addresses.run(namespace, id)} />;
}
