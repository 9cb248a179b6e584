import { messages } from '../../language/messages.ts';

export const secretWords = messages({
  lostSecret: {
    en: 'It was created, but the response that would have shown it was lost. Create another one and remove this one.',
    de: 'Es wurde angelegt, aber die Antwort, die es zeigte, ging verloren. Lege ein neues an und entferne dieses.',
    tr: 'Oluşturuldu, ama onu gösteren yanıt kayboldu. Yenisini oluşturun ve bunu kaldırın.',
    ja: '作成されましたが、内容を示す応答が失われました。新しく作成し、これは取り消してください。',
  },
});
