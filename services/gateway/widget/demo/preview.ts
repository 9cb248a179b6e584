import { type DemoQuery, escapeHtml, tagAttributes } from './page.ts';

/** A page with nothing on it but the widget, for the console's settings to show in a frame. */
export function previewPage(query: DemoQuery): string {
  const { theme = '' } = query;
  return `<!doctype html>
<html lang="${escapeHtml(query.locale || 'en')}"${theme && ` data-theme="${escapeHtml(theme)}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Feedback widget · worktrack</title>
<link rel="stylesheet" href="demo.css">
<script src="../widget.js"${tagAttributes(query)} async></script>
</head>
<body></body>
</html>
`;
}
