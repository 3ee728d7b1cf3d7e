import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from '../icon/icon.tsx';
import { usePopover } from '../popover/popover.ts';

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

/** Arrows move the focus from item to item. */
function move(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  const list = event.currentTarget as HTMLElement;
  if (step === undefined) return;
  event.preventDefault();
  const items = [...list.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const present = items.indexOf(document.activeElement as HTMLElement);
  items[(present + step + items.length) % items.length]?.focus();
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

/** A button that opens a list of actions or links. */
export function Menu({ label, items, children, kind = 'button bare lone', side = 'right' }: MenuProps) {
  const { id, button, panel, isOpen, close } = usePopover(side);
  return (
    <>
      <button
        type="button"
        class={kind}
        ref={button}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        aria-label={label}
        title={label}
        popovertarget={id}
      >
        {children}
      </button>
      <div
        class="menu-list"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        id={id}
        ref={panel}
        popover="auto"
        onKeyDown={move}
      >
        {isOpen.value && items.map((item) => <Item key={item.label} item={item} onClose={close} />)}
      </div>
    </>
  );
}
