import { messages } from '../../language/messages.ts';

export const words = messages({
  help: {
    en: 'What a user may do at most. Changes apply at once.',
    de: 'Was ein Benutzer höchstens darf. Änderungen gelten sofort.',
    tr: 'Bir kullanıcının en fazla ne yapabileceği. Değişiklikler hemen geçerli olur.',
    ja: 'ユーザーに許される上限です。変更はすぐに反映されます。',
  },
  newRole: { en: 'New role', de: 'Neue Rolle', tr: 'Yeni rol', ja: '新しいロール' },
  builtIn: { en: 'Built in', de: 'Eingebaut', tr: 'Yerleşik', ja: '組み込み' },
  deleteText: {
    en: 'Only a role that nobody has can be deleted.',
    de: 'Nur eine Rolle, die niemand hat, lässt sich löschen.',
    tr: 'Yalnızca kimsede olmayan bir rol silinebilir.',
    ja: '誰も持っていないロールだけを削除できます。',
  },
});
