import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon, type IconName } from '../icon/icon.tsx';

type Kind = 'plain' | 'primary' | 'bare' | 'danger';

interface Shared {
  readonly kind?: Kind;
  readonly icon?: IconName;
  /** The name of the action where the button shows an icon alone. */
  readonly label?: string;
  readonly children?: ComponentChildren;
}

const classOf = ({ kind = 'plain', children }: Shared): string =>
  `button ${kind}${children === undefined ? ' lone' : ''}`;

const inside = ({ icon, children }: Shared) => (
  <>
    {icon && <Icon name={icon} />}
    {children !== undefined && <span class="button-words">{children}</span>}
  </>
);

interface ButtonProps extends Shared {
  readonly onClick?: (event: MouseEvent) => void;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly isBusy?: boolean;
  readonly attributes?: ButtonHTMLAttributes<HTMLButtonElement>;
}

/** A button for an action. While the action is in progress, it cannot be pressed again. */
export function Button(props: ButtonProps) {
  const { onClick, type = 'button', disabled = false, isBusy = false, label, attributes } = props;
  return (
    <button
      {...attributes}
      type={type}
      class={classOf(props)}
      disabled={disabled}
      aria-disabled={isBusy}
      aria-label={label}
      title={label}
      onClick={isBusy ? undefined : onClick}
    >
      {inside(props)}
    </button>
  );
}

/** A link to another page that looks like a button. */
export function ButtonLink(props: Shared & { readonly href: string }) {
  return (
    <a class={classOf(props)} href={props.href} aria-label={props.label} title={props.label}>
      {inside(props)}
    </a>
  );
}
