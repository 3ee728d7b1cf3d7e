import { useMemo } from 'preact/hooks';
import { may } from '../../data/api/session.ts';
import { useTask } from '../../data/api/task.ts';
import { EXAMPLES, type Example, runExample } from '../../data/examples/examples.ts';
import type { Sources } from '../../data/examples/sources.ts';
import { useModule } from '../../data/loading/module.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go } from '../../data/navigation/location.ts';
import { useReading } from '../../data/workflow/reading.ts';
import { Button, ButtonLink } from '../../parts/button/button.tsx';
import { Diagram } from '../../parts/diagram/diagram.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';

const load = () => import('../../data/examples/sources.ts');

interface CardProps {
  readonly namespace: string;
  readonly example: Example;
  readonly sources: Sources;
}

function Card({ namespace, example, sources }: CardProps) {
  const task = useTask();
  const reading = useReading();
  const graph = useMemo(() => {
    const name = example.workflows[example.start];
    return name === undefined ? undefined : reading.graphOf(sources[name]);
  }, [example, sources, reading.isLoaded]);
  const run = () =>
    task.run(async () => go(addresses.run(namespace, await runExample(namespace, example, sources), { tab: 'data' })));
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

/** The page of an empty namespace: examples that run by one click, and the ways to add workflows. */
export function FirstUse({ namespace }: { readonly namespace: string }) {
  const { module, error } = useModule(load);
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
      {error !== undefined && <ErrorNote title="The examples cannot be loaded" error={error} />}
      {module === undefined ? (
        error === undefined && <Skeleton lines={6} />
      ) : (
        <ul class="examples">
          {EXAMPLES.map((example) => (
            <Card key={example.id} namespace={namespace} example={example} sources={module.SOURCES} />
          ))}
        </ul>
      )}
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
