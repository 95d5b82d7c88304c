// Asks for a name for the query, and says where one of that name is replaced.
import { element } from './element.ts';
import { MOST_NAME } from './past.ts';

/**
 * @param names that there are
 * @param onSave says why it cannot be saved: then another name, or room, can be found
 */
export function askForName(
  suggested: string,
  names: readonly string[],
  onSave: (name: string) => string | undefined,
): void {
  const field = element('input', {
    id: 'save-name',
    maxlength: MOST_NAME,
    autocomplete: 'off',
    spellcheck: false,
    required: true,
  });
  const note = element('p', { class: 'note', role: 'status' });
  const save = element('button', { type: 'submit', class: 'primary' }, 'Save');
  const cancel = element(
    'button',
    { type: 'button', class: 'quiet', onclick: () => dialog.close() },
    'Cancel',
  );
  const dialog = element(
    'dialog',
    { class: 'ask', 'aria-labelledby': 'save-title' },
    element(
      'form',
      { method: 'dialog' },
      element('h2', { id: 'save-title' }, 'Save this query'),
      element('label', { for: 'save-name' }, 'Name'),
      field,
      note,
      element('div', { class: 'page-actions' }, save, cancel),
    ),
  );
  const look = (): void => {
    const isThere = names.includes(field.value.trim());
    save.textContent = isThere ? 'Replace' : 'Save';
    note.textContent = isThere ? 'There is one of this name: it is replaced.' : 'Kept in this browser alone.';
  };
  dialog.querySelector('form')?.addEventListener('submit', (event) => {
    event.preventDefault();
    const name = field.value.trim();
    if (name === '') return;
    const problem = onSave(name);
    if (problem === undefined) dialog.close();
    else note.textContent = problem;
  });
  field.addEventListener('input', look);
  dialog.addEventListener('close', () => dialog.remove());
  field.value = suggested.slice(0, MOST_NAME).toWellFormed();
  document.body.append(dialog);
  look();
  dialog.showModal();
  field.select();
}
