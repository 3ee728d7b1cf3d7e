import type { Locator } from 'playwright-core';

/** Replaces the text of an editor by another one, as a person does who pastes it. */
export async function pasteInto(editor: Locator, text: string): Promise<void> {
  await editor.focus();
  await editor.press('Control+a');
  await editor.evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
