import { messages } from '../language/messages.ts';

export const words = messages({
  invite: { en: 'Invite', de: 'Einladen', tr: 'Davet et', ja: '招待' },
  inviteOf: { en: 'Invite {name}', de: '{name} einladen', tr: '{name} kullanıcısını davet et', ja: '{name} を招待' },
  again: { en: 'Send again', de: 'Erneut senden', tr: 'Yeniden gönder', ja: '再送信' },
  againOf: {
    en: 'Send again to {name}',
    de: 'Erneut senden an {name}',
    tr: '{name} kullanıcısına yeniden gönder',
    ja: '{name} に再送信',
  },
  withdraw: { en: 'Withdraw', de: 'Zurückziehen', tr: 'Geri çek', ja: '取り消す' },
  withdrawOf: {
    en: 'Withdraw the invitation of {name}',
    de: 'Einladung von {name} zurückziehen',
    tr: '{name} davetini geri çek',
    ja: '{name} の招待を取り消す',
  },
  withdrawn: {
    en: 'The invitation of {name} is withdrawn.',
    de: 'Die Einladung von {name} ist zurückgezogen.',
    tr: '{name} daveti geri çekildi.',
    ja: '{name} の招待を取り消しました。',
  },
  notWithdrawn: {
    en: 'Not withdrawn.',
    de: 'Nicht zurückgezogen.',
    tr: 'Geri çekilmedi.',
    ja: '取り消せませんでした。',
  },
  sent: {
    en: 'The invitation was mailed to {email}. If it does not arrive, send this link yourself.',
    de: 'Die Einladung ging per Mail an {email}. Falls sie nicht ankommt, sende diesen Link selbst.',
    tr: 'Davet {email} adresine gönderildi. Ulaşmazsa bu bağlantıyı kendiniz gönderin.',
    ja: '招待を {email} にメールで送りました。届かない場合は、このリンクを直接送ってください。',
  },
  failed: {
    en: 'The mail could not be sent. Send this link yourself.',
    de: 'Die Mail konnte nicht gesendet werden. Sende diesen Link selbst.',
    tr: 'E-posta gönderilemedi. Bu bağlantıyı kendiniz gönderin.',
    ja: 'メールを送信できませんでした。このリンクを直接送ってください。',
  },
  off: {
    en: 'This installation sends no mail. Send this link yourself.',
    de: 'Diese Installation sendet keine Mails. Sende diesen Link selbst.',
    tr: 'Bu kurulum e-posta göndermiyor. Bu bağlantıyı kendiniz gönderin.',
    ja: 'この環境はメールを送信しません。このリンクを直接送ってください。',
  },
  linkOf: {
    en: 'Sign-in link for {name}',
    de: 'Anmeldelink für {name}',
    tr: '{name} için oturum açma bağlantısı',
    ja: '{name} のサインインリンク',
  },
  linkText: {
    en: 'Whoever opens it first is signed in as {name}, with no more permissions than you have yourself. It works once, until {time}.',
    de: 'Wer ihn zuerst öffnet, ist als {name} angemeldet und darf nicht mehr als du selbst. Er gilt einmal, bis {time}.',
    tr: 'Onu ilk açan, sizin izinlerinizi aşmadan {name} olarak oturum açar. Bir kez geçerlidir; geçerlilik sonu: {time}.',
    ja: '最初に開いた人が {name} としてサインインします（あなたの権限が上限）。{time} まで 1 回だけ有効です。',
  },
  linkFailed: {
    en: 'No link was created.',
    de: 'Es wurde kein Link erstellt.',
    tr: 'Bağlantı oluşturulamadı.',
    ja: 'リンクを作成できませんでした。',
  },
  copyLink: { en: 'Copy link', de: 'Link kopieren', tr: 'Bağlantıyı kopyala', ja: 'リンクをコピー' },
  invitedUntil: {
    en: 'Invited until {time}',
    de: 'Eingeladen bis {time}',
    tr: '{time} tarihine kadar davetli',
    ja: '招待中（{time} まで）',
  },
  invitedBy: {
    en: 'Invited by {name}, until {time}',
    de: 'Eingeladen von {name}, bis {time}',
    tr: '{name} davet etti, {time} tarihine kadar',
    ja: '{name} が招待（{time} まで）',
  },
  ended: {
    en: 'The invitation ended unused',
    de: 'Die Einladung ist ungenutzt abgelaufen',
    tr: 'Davet kullanılmadan sona erdi',
    ja: '招待は使われないまま終了しました',
  },
  used: { en: 'Has signed in', de: 'Hat sich angemeldet', tr: 'Oturum açtı', ja: 'サインイン済み' },
});
