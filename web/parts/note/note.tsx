import type { ComponentChildren } from 'preact';
import type { ApiError } from '../../data/api/errors.ts';
import { Button } from '../button/button.tsx';
import { Icon, type IconName } from '../icon/icon.tsx';

interface ErrorNoteProps {
  /** The failed action, and whether anything was changed: `The run was not cancelled`. */
  readonly title: string;
  readonly error: Pick<ApiError, 'message' | 'status'>;
  readonly onRetry?: (() => void) | undefined;
}

/** The failed action, the error message, and a button to retry. */
export function ErrorNote({ title, error, onRetry }: ErrorNoteProps) {
  return (
    <div class="note wrong" role="alert">
      <Icon name="warning" />
      <div class="grows">
        <p class="strong">{title}</p>
        <p class="note-message">{error.message}</p>
      </div>
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The error of a part whose code could not be loaded. */
export function NotLoaded({ error }: { readonly error: ErrorNoteProps['error'] }) {
  return (
    <ErrorNote
      title="This part of the page could not be loaded"
      error={error}
      onRetry={() => window.location.reload()}
    />
  );
}

/** A short remark. */
export function Remark({
  icon = 'info',
  children,
}: {
  readonly icon?: IconName;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="note">
      <Icon name={icon} />
      <div class="grows">{children}</div>
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** A text about the missing content. */
  readonly children: ComponentChildren;
  /** The button or command that fills it. */
  readonly action?: ComponentChildren;
}

/** An empty page names its missing content and offers the action that adds it. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <h2>{title}</h2>
      <div class="empty-words">{children}</div>
      {action && <div class="line wraps">{action}</div>}
    </div>
  );
}

/** Bars in place of a value that is not loaded yet. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  const widths = Array.from({ length: lines }, (_, index) => `${86 - ((index * 37) % 48)}%`);
  return (
    <div class="skeleton" aria-hidden="true">
      {widths.map((width, index) => (
        <span key={index} style={{ width }} />
      ))}
    </div>
  );
}
