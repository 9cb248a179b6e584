/** The texts of an item that was begun and not created: closing the dialog by accident loses nothing. Gone with the page, which signing out reloads. */
export const draft = { title: '', description: '' };

export function clearDraft(): void {
  draft.title = '';
  draft.description = '';
}
