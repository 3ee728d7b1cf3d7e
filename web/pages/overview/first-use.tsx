import { may } from '../../data/api/session.ts';
import { useTask } from '../../data/api/task.ts';
import { EXAMPLES, type Example, runExample } from '../../data/examples/examples.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go } from '../../data/navigation/location.ts';
import { graphOf } from '../../data/workflow/yaml.ts';
import { Button, ButtonLink } from '../../parts/button/button.tsx';
import { Diagram } from '../../parts/diagram/diagram.tsx';
import { Empty, ErrorNote } from '../../parts/note/note.tsx';

const graphs = new Map(EXAMPLES.map((example) => [example.id, graphOf(example.workflows[example.start] ?? '')]));

function Card({ namespace, example }: { readonly namespace: string; readonly example: Example }) {
  const task = useTask();
  const graph = graphs.get(example.id);
  const run = () =>
    task.run(async () => go(addresses.run(namespace, await runExample(namespace, example), { tab: 'data' })));
  return (
    <li class="example">
      <div class="example-diagram">
        {graph !== undefined && <Diagram graph={graph} label={`States of ${example.title}`} isStill />}
      </div>
      <h2 class="minor">{example.title}</h2>
      <p class="quiet grows">{example.about}</p>
      {task.error.value && <ErrorNote title="It was not run" error={task.error.value} />}
      <Button kind="primary" icon="play" isBusy={task.isBusy.value} onClick={() => void run()}>
        Run it
      </Button>
    </li>
  );
}

/** What an empty namespace offers: examples that run by one click, and the ways to bring workflows of one's own. */
export function FirstUse({ namespace }: { readonly namespace: string }) {
  if (!may('createWorkflow')) {
    return (
      <Empty icon="overview" title="This namespace is empty">
        <p>Your key can read only. A key with the permission write can store workflows here.</p>
      </Empty>
    );
  }
  return (
    <div class="first-use">
      <p class="first-words">
        This namespace is empty. Run an example: it is stored in the folder <code>examples</code>, and its run opens.
      </p>
      <ul class="examples">
        {EXAMPLES.map((example) => (
          <Card key={example.id} namespace={namespace} example={example} />
        ))}
      </ul>
      <div class="line wraps">
        <ButtonLink icon="plus" href={addresses.tree(namespace)}>
          Write a workflow
        </ButtonLink>
        <span class="quiet">
          or bring a folder of them: <code>weft push FOLDER --namespace {namespace}</code>
        </span>
      </div>
    </div>
  );
}
