import { Icon } from '../icon/icon.tsx';

interface LabelProps {
  readonly text: string;
  /** The name of the button that removes the label; without `onRemove` there is none. */
  readonly removal?: string;
  readonly onRemove?: (() => unknown) | undefined;
}

/** A label or a tag, with a button that removes it. */
export function Label({ text, removal, onRemove }: LabelProps) {
  return (
    <span class="label">
      {text}
      {onRemove !== undefined && (
        <button type="button" class="label-remove" aria-label={removal} onClick={() => void onRemove()}>
          <Icon name="close" size={10} />
        </button>
      )}
    </span>
  );
}
