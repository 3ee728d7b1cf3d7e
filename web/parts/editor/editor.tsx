import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from '../../data/api/errors.ts';
import { useModule } from '../../data/loading/module.ts';
import { NotLoaded, Skeleton } from '../note/note.tsx';
import type { EditorHandle, EditorOptions } from './options.ts';

interface EditorProps extends EditorOptions {
  readonly problems?: readonly Problem[] | undefined;
  /** Gets the editor when it is open. */
  readonly onOpen?: (editor: EditorHandle) => void;
}

const load = () => import('./codemirror.ts');

const NONE: readonly Problem[] = [];

/** An editor of text; its code is loaded when the first one is shown. */
export function Editor(props: EditorProps) {
  const { value, problems = NONE, onOpen, isSmall = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const handle = useSignal<EditorHandle | undefined>(undefined);
  // Texts that were passed to the page and not received back yet: the user may type more before that.
  const typed = useRef<string[]>([]);
  // The callbacks of the editor call those of the latest props.
  const latest = useRef(props);
  latest.current = props;
  const { module, error } = useModule(load);
  useEffect(() => {
    if (module === undefined || host.current === null) return undefined;
    const onChange = (text: string) => {
      typed.current.push(text);
      latest.current.onChange?.(text);
    };
    const opened = module.openEditor(host.current, { ...latest.current, onChange });
    handle.value = opened;
    onOpen?.(opened);
    return () => {
      opened.close();
      handle.value = undefined;
    };
  }, [module, handle, onOpen]);
  useEffect(() => {
    const at = typed.current.lastIndexOf(value);
    typed.current.splice(0, at < 0 ? typed.current.length : at + 1);
    if (at < 0) handle.value?.setValue(value);
  }, [handle.value, value]);
  useEffect(() => handle.value?.setProblems(problems), [handle.value, problems]);
  return (
    <div class={`editor${isSmall ? ' small' : ''}`}>
      <div class="editor-host" ref={host} />
      {error !== undefined && <NotLoaded error={error} />}
      {handle.value === undefined && error === undefined && <Skeleton lines={8} />}
    </div>
  );
}
