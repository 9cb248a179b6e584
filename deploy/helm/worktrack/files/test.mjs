// `helm test`: what a client does first. With a key, a task is created, claimed and deleted; without one, the gateway says whether it is ready.
const { WORKTRACK_URL, WORKTRACK_API_KEY, WORKTRACK_BOARD_ID } = process.env;

async function call(method, path, body) {
  const response = await fetch(`${WORKTRACK_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${WORKTRACK_API_KEY}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text).data;
}

const ready = await fetch(`${WORKTRACK_URL}/health/ready`);
if (!ready.ok) throw new Error(`The gateway is not ready: ${await ready.text()}`);
if (WORKTRACK_API_KEY) {
  const { columns } = await call('GET', `/api/boards/${WORKTRACK_BOARD_ID}`);
  const todo = columns.find(({ role }) => role === 'todo');
  const task = { title: 'helm test', type: 'task', boardId: WORKTRACK_BOARD_ID, boardColumnId: todo.id };
  const { id } = await call('POST', '/api/work-items', task);
  try {
    const { claimed } = await call('POST', '/api/work-items/claim', { ids: [id], agent: 'helm test' });
    if (!claimed) throw new Error('The task was created, and could not be claimed.');
  } finally {
    await call('DELETE', `/api/work-items/${id}`);
  }
}
console.log('The test has passed.');
