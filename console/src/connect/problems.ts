import { messages } from '../language/messages.ts';

/** Why an app does not get further, and what to do about it: shown to whoever decides, and under Connected apps. */
export const problems = messages({
  malformed: {
    en: 'Its request lacks something, says something twice, or is too long. Update the app; if that does not help, its makers have to know.',
    de: 'In ihrer Anfrage fehlt etwas, steht etwas doppelt, oder sie ist zu lang. Aktualisiere die App; hilft das nicht, müssen es ihre Hersteller wissen.',
    tr: 'İsteğinde bir şey eksik, iki kez yazılmış ya da çok uzun. Uygulamayı güncelleyin; işe yaramazsa yapımcılarına bildirin.',
    ja: 'リクエストに不足や重複があるか、長すぎます。アプリを更新し、それでも直らなければ開発元に知らせてください。',
  },
  'unknown-client': {
    en: 'It is not known here. Remove the connection in the app and add it again; if the app has to register itself, the server needs OAUTH_DYNAMIC_REGISTRATION=true.',
    de: 'Sie ist hier nicht bekannt. Entferne die Verbindung in der App und füge sie neu hinzu; muss die App sich selbst registrieren, braucht der Server OAUTH_DYNAMIC_REGISTRATION=true.',
    tr: 'Burada tanınmıyor. Bağlantıyı uygulamada kaldırıp yeniden ekleyin; uygulama kendini kaydetmek zorundaysa sunucuda OAUTH_DYNAMIC_REGISTRATION=true gerekir.',
    ja: 'このアプリは登録されていません。アプリ側で接続を削除して追加し直してください。自己登録が必要なアプリの場合、サーバーに OAUTH_DYNAMIC_REGISTRATION=true が必要です。',
  },
  'document-unreachable': {
    en: 'The document that says who it is could not be fetched. A firewall or proxy may be in between; one in your own network needs OAUTH_CLIENT_ALLOWED_NETWORKS on the server.',
    de: 'Das Dokument, das sagt, wer sie ist, ließ sich nicht laden. Vielleicht ist eine Firewall oder ein Proxy dazwischen; eines im eigenen Netz braucht OAUTH_CLIENT_ALLOWED_NETWORKS auf dem Server.',
    tr: 'Kim olduğunu söyleyen belge alınamadı. Arada bir güvenlik duvarı ya da vekil sunucu olabilir; kendi ağınızdaki bir belge için sunucuda OAUTH_CLIENT_ALLOWED_NETWORKS gerekir.',
    ja: 'アプリの身元を示す文書を取得できませんでした。ファイアウォールやプロキシを確認してください。社内ネットワークの文書にはサーバーの OAUTH_CLIENT_ALLOWED_NETWORKS が必要です。',
  },
  'document-invalid': {
    en: 'The document that says who it is does not fit. Only its makers can mend that.',
    de: 'Das Dokument, das sagt, wer sie ist, passt nicht. Das können nur ihre Hersteller beheben.',
    tr: 'Kim olduğunu söyleyen belge uygun değil. Bunu yalnızca yapımcıları düzeltebilir.',
    ja: 'アプリの身元を示す文書が正しくありません。開発元でしか修正できません。',
  },
  'redirect-uri': {
    en: 'It wants you to be sent to an address that is none of its own. Update the app and connect it again; if somebody has sent you here, it may be an attempt to get at your work.',
    de: 'Sie will dich zu einer Adresse schicken, die nicht ihre eigene ist. Aktualisiere die App und verbinde sie neu; hat dich jemand hierher geschickt, will er vielleicht an deine Arbeit.',
    tr: 'Sizi kendisine ait olmayan bir adrese göndermek istiyor. Uygulamayı güncelleyip yeniden bağlayın; sizi buraya biri gönderdiyse, işinize erişmeye çalışıyor olabilir.',
    ja: 'アプリのものではないアドレスへ送ろうとしています。アプリを更新して接続し直してください。誰かに誘導された場合は、あなたのデータを狙う試みかもしれません。',
  },
  'response-type': {
    en: 'It asks to be answered in a way that is not safe. Update the app.',
    de: 'Sie will auf eine Weise Antwort, die nicht sicher ist. Aktualisiere die App.',
    tr: 'Güvenli olmayan bir yanıt biçimi istiyor. Uygulamayı güncelleyin.',
    ja: '安全でない応答方式を求めています。アプリを更新してください。',
  },
  'response-mode': {
    en: 'It asks to be answered in a way that is not offered here (response_mode other than query). Update the app.',
    de: 'Sie will auf eine Weise Antwort, die es hier nicht gibt (response_mode anders als query). Aktualisiere die App.',
    tr: 'Burada sunulmayan bir yanıt biçimi istiyor (response_mode, query değil). Uygulamayı güncelleyin.',
    ja: 'ここでは提供していない応答方式を求めています（response_mode が query ではありません）。アプリを更新してください。',
  },
  pkce: {
    en: 'It does not protect its code (PKCE with S256). Update the app.',
    de: 'Sie schützt ihren Code nicht (PKCE mit S256). Aktualisiere die App.',
    tr: 'Kodunu korumuyor (S256 ile PKCE). Uygulamayı güncelleyin.',
    ja: 'コードが保護されていません（S256 の PKCE）。アプリを更新してください。',
  },
  resource: {
    en: 'It asks for another service than this one. Check the address in the app: it has to be exactly the one under Connected apps.',
    de: 'Sie bittet um einen anderen Dienst als diesen. Prüfe die Adresse in der App: Es muss genau die unter „Verbundene Apps“ sein.',
    tr: 'Bundan başka bir hizmet istiyor. Uygulamadaki adresi denetleyin: Bağlı uygulamalar altındakiyle aynı olmalı.',
    ja: '別のサービスを求めています。アプリのアドレスが「接続済みアプリ」にあるものと完全に同じか確認してください。',
  },
  denied: {
    en: 'It was denied. If that was a mistake, start again from the app.',
    de: 'Es wurde abgelehnt. War das ein Versehen, beginne in der App noch einmal.',
    tr: 'Reddedildi. Yanlışlıkla olduysa uygulamadan yeniden başlayın.',
    ja: '拒否されました。間違いだった場合は、アプリからやり直してください。',
  },
  'code-expired': {
    en: 'It came for its tokens too late. Start again from the app.',
    de: 'Sie kam zu spät, um ihre Token zu holen. Beginne in der App noch einmal.',
    tr: 'Belirteçlerini almaya çok geç geldi. Uygulamadan yeniden başlayın.',
    ja: 'トークンの取得が遅すぎました。アプリからやり直してください。',
  },
  'code-reused': {
    en: 'Its code came twice, so the connection was ended. Start again from the app; if it happens again, somebody else can read its codes.',
    de: 'Ihr Code kam zweimal, deshalb wurde die Verbindung beendet. Beginne in der App noch einmal; geschieht es wieder, kann jemand anders ihre Codes lesen.',
    tr: 'Kodu iki kez geldiği için bağlantı sonlandırıldı. Uygulamadan yeniden başlayın; yinelenirse kodları başkası okuyabiliyor demektir.',
    ja: 'コードが 2 回使われたため、接続を終了しました。アプリからやり直してください。繰り返す場合は、第三者がコードを読めるおそれがあります。',
  },
  'code-client': {
    en: 'Another app came with its code. Start again from the app; if it happens again, somebody else can read its codes.',
    de: 'Mit ihrem Code kam eine andere App. Beginne in der App noch einmal; geschieht es wieder, kann jemand anders ihre Codes lesen.',
    tr: 'Koduyla başka bir uygulama geldi. Uygulamadan yeniden başlayın; yinelenirse kodları başkası okuyabiliyor demektir.',
    ja: '別のアプリがこのコードを使いました。アプリからやり直してください。繰り返す場合は、第三者がコードを読めるおそれがあります。',
  },
  'code-verifier': {
    en: 'It could not show that it is the one that asked. Start again from the app, in one window only.',
    de: 'Sie konnte nicht zeigen, dass sie es war, die gefragt hat. Beginne in der App noch einmal, nur in einem Fenster.',
    tr: 'İsteyenin kendisi olduğunu gösteremedi. Uygulamadan, tek pencerede yeniden başlayın.',
    ja: '要求したアプリであることを証明できませんでした。1 つのウィンドウだけで、アプリからやり直してください。',
  },
});
