// A button that copies a text and says so, also where the page is not served securely and browsers offer no
// clipboard to scripts.
import { element } from './element.ts';

const TOLD_MS = 1600;

export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'quiet' }, label);
  const told = element('span', { class: 'unseen', role: 'status' });
  button.append(told);
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.addEventListener('click', () => {
    void copy(text(), button).then((done) => {
      told.textContent = done ? ': copied' : ': could not be copied';
      button.classList.toggle('done', done);
      clearTimeout(timer);
      timer = setTimeout(() => {
        told.textContent = '';
        button.classList.remove('done');
      }, TOLD_MS);
    });
  });
  return button;
}

async function copy(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element('textarea', { class: 'unseen', 'aria-hidden': 'true', tabindex: -1 });
    area.value = text;
    beside.after(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    beside.focus();
    return done;
  }
}
