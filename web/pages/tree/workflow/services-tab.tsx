import { ServiceList } from '../../../parts/services/list.tsx';
import type { TabProps } from './tab-props.ts';

/** The container services that the workflow defines. */
export function ServicesTab({ namespace, workflow }: TabProps) {
  const { path } = workflow.node;
  return (
    <div class="scroll">
      <ServiceList
        source={{ scope: 'workflow', namespace, node: path }}
        none="The workflow defines no services. A function of the type knative-workflow names an image, and is a service of its own."
      />
    </div>
  );
}
