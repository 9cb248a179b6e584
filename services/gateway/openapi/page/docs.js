const dark = matchMedia('(prefers-color-scheme: dark)');
const showMode = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', showMode);
showMode();

/** Identifiers from the organization, taken from the response to a query that finds one. */
const FOUND_BY = [
  [
    '/api/projects?limit=1',
    ({ projects: [project] }) => ({ projectId: project?.id, boardId: project?.defaultBoardId }),
  ],
  [
    '/api/work-items?limit=1',
    ({ workItems: [item] }) => ({ workItemId: item?.id, boardColumnId: item?.boardColumnId }),
  ],
  ['/api/feedback/items?limit=1', ({ items: [item] }) => ({ feedbackId: item?.id })],
  ['/api/feedback/sources', ([source]) => ({ sourceId: source?.id })],
  ['/api/api-keys', ([key]) => ({ keyId: key?.id })],
  ['/api/me', ({ user }) => ({ userId: user?.id })],
];
/** In example bodies: fields that name items which may not exist. */
const LEFT_OUT = ['parentId', 'ideaId', 'dependsOn'];

/** Once a key is entered, examples use what its organization has, so that a first try works. What the key may not see keeps its example. */
async function nameWhatThereIs(system, key) {
  const headers = { authorization: `Bearer ${key}` };
  const ask = async (path) => {
    const response = await fetch(path, { headers });
    return response.ok ? (await response.json()).data : undefined;
  };
  const ids = {};
  for (const [path, idsIn] of FOUND_BY) {
    const data = await ask(path);
    if (data) Object.assign(ids, idsIn(data));
  }
  if (ids.boardId && !ids.boardColumnId) ids.boardColumnId = (await ask(`/api/boards/${ids.boardId}`))?.columns[0]?.id;
  const spec = system.specSelectors.specJson().toJS();
  for (const operation of Object.values(spec.paths).flatMap(Object.values)) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'path' && ids[parameter.name]) parameter.example = ids[parameter.name];
    }
    const example = operation.requestBody?.content?.['application/json']?.example;
    for (const field of Object.keys(example ?? {})) {
      if (LEFT_OUT.includes(field)) delete example[field];
      else if (ids[field]) example[field] = ids[field];
    }
  }
  system.specActions.updateJsonSpec(spec);
}

const realIds = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize, system) => (given) => {
          const key = given.bearer?.value;
          if (key) void nameWhatThereIs(system, key);
          return authorize(given);
        },
      },
    },
  },
});

// The key stays in this tab: persistAuthorization would write it to the browser's disk.
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: false,
  plugins: [realIds],
  tryItOutEnabled: true,
  // Its default sends the document to a validator on the internet.
  validatorUrl: null,
});
