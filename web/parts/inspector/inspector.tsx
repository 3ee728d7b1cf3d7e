import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isTyping } from '../../data/browser/typing.ts';
import { Button } from '../button/button.tsx';

interface InspectorProps {
  readonly title: ComponentChildren;
  readonly label: string;
  readonly onClose: () => void;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What was chosen, opened over the right third of the page; on a narrow screen a sheet from below. */
export function Inspector({ title, label, onClose, actions, children }: InspectorProps) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isTyping(event)) onClose();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [onClose]);
  return (
    <aside class="inspector" aria-label={label}>
      <div class="inspector-head">
        <h2 class="cut grows">{title}</h2>
        {actions}
        <Button kind="bare" icon="close" label="Close" onClick={onClose} />
      </div>
      <div class="inspector-body">{children}</div>
    </aside>
  );
}
