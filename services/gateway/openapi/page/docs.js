// The key that is typed in stays in this tab: persistAuthorization would write it to the disk of the browser.
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  // Its default sends the document to a validator on the internet.
  validatorUrl: null,
});
