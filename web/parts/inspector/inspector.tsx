import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isTyping } from '../../data/browser/typing.ts';
import { Button } from '../button/button.tsx';

interface InspectorProps {
  readonly title: ComponentChildren;
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A panel for details or a form over the right third of the page; on a narrow screen a sheet at the bottom. It is in the
 * top layer, so that any component can contain it.
 */
export function Inspector({ title, label, onClose, children }: InspectorProps) {
  const root = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    root.current?.showPopover();
    root.current
      ?.querySelector<HTMLElement>('[autofocus], .inspector-body :is(input, textarea, select, button)')
      ?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isInside = event.composedPath().includes(root.current as EventTarget);
      if (event.key === 'Escape' && !event.defaultPrevented && (isInside || !isTyping(event))) onClose();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [onClose]);
  return (
    <aside class="inspector" aria-label={label} ref={root} popover="manual">
      <div class="inspector-head">
        <h2 class="cut grows">{title}</h2>
        <Button kind="bare" icon="close" label="Close" onClick={onClose} />
      </div>
      <div class="inspector-body">{children}</div>
    </aside>
  );
}
