import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from '../icon/icon.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly isDanger?: boolean;
  readonly href?: string;
  readonly isCurrent?: boolean;
  readonly onSelect?: () => void;
}

interface MenuProps {
  /** The name of the button. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly children: ComponentChildren;
  readonly kind?: string;
  readonly side?: 'left' | 'right';
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function moveFocus(list: HTMLElement, step: number): void {
  const items = [...list.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const present = items.indexOf(document.activeElement as HTMLElement);
  items[(present + step + items.length) % items.length]?.focus();
}

/** The keys of an open list: arrows move, escape closes it and goes back to its button. */
function listKeys(root: HTMLElement, isOpen: Signal<boolean>): () => void {
  const press = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === 'Escape') {
      event.stopPropagation();
      isOpen.value = false;
      root.querySelector('button')?.focus();
    }
    if (step === undefined) return;
    event.preventDefault();
    moveFocus(root, step);
  };
  root.addEventListener('keydown', press);
  return () => root.removeEventListener('keydown', press);
}

function Item({ item, onClose }: { readonly item: MenuItem; readonly onClose: () => void }) {
  const content = (
    <>
      {item.icon && <Icon name={item.icon} />}
      <span class="grows cut">{item.label}</span>
      {item.isCurrent && <Icon name="check" />}
    </>
  );
  const look = `menu-item${item.isDanger ? ' danger' : ''}`;
  const select = () => {
    onClose();
    item.onSelect?.();
  };
  return item.href === undefined ? (
    <button type="button" role="menuitem" class={look} onClick={select}>
      {content}
    </button>
  ) : (
    <a role="menuitem" class={look} href={item.href} onClick={onClose}>
      {content}
    </a>
  );
}

/** A button that opens a list of actions or ways. */
export function Menu({ label, items, children, kind = 'button bare', side = 'right' }: MenuProps) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const close = () => {
    isOpen.value = false;
  };
  useEffect(() => {
    if (!isOpen.value) return undefined;
    root.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
    const leave = (event: MouseEvent) => {
      if (root.current !== null && !event.composedPath().includes(root.current)) isOpen.value = false;
    };
    const stop = root.current === null ? () => {} : listKeys(root.current, isOpen);
    document.addEventListener('mousedown', leave);
    return () => {
      stop();
      document.removeEventListener('mousedown', leave);
    };
  }, [isOpen.value, isOpen]);
  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        class={kind}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        aria-label={label}
        title={label}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {children}
      </button>
      {isOpen.value && (
        <div class={`menu-list ${side}`} role="menu" aria-label={label}>
          {items.map((item) => (
            <Item key={item.label} item={item} onClose={close} />
          ))}
        </div>
      )}
    </div>
  );
}
