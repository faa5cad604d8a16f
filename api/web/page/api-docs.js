// The API documentation. Form B first, because /api/v1 answers in it unless configured otherwise.
const { SwaggerUIBundle, SwaggerUIStandalonePreset } = window;

SwaggerUIBundle({
  dom_id: '#reader',
  urls: [
    { url: '/openapi-b.json', name: 'Form B' },
    { url: '/openapi-a.json', name: 'Form A' },
  ],
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  docExpansion: 'list',
  validatorUrl: null,
});
