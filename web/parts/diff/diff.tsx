import { useEffect, useRef } from 'preact/hooks';
import { useModule } from '../../data/loading/module.ts';
import { NotLoaded } from '../note/note.tsx';

const load = () => import('./merge.ts');

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

/** The differences between two texts, line by line; equal parts are folded. */
export function Diff({ before, after, label }: DiffProps) {
  const host = useRef<HTMLDivElement>(null);
  const { module, error } = useModule(load);
  useEffect(() => {
    if (module === undefined || host.current === null) return undefined;
    return module.openDiff(host.current, { before, after }, label);
  }, [module, before, after, label]);
  if (error !== undefined) return <NotLoaded error={error} />;
  return <div class="diff editor-host" ref={host} />;
}
