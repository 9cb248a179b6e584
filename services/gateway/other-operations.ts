/**
 * Where the text of a refusal points at another operation that has a tool, services write `list_projects (GET /api/projects)`: they do not know who reads it.
 * Each client is told the one that it can call.
 */
const TOOL_AND_ROUTE = /\b([a-z]+(?:_[a-z]+)+) \(((?:GET|POST|PATCH|PUT|DELETE) \/[^\s)]*)\)/g;

export const inRoutes = (text: string): string => text.replaceAll(TOOL_AND_ROUTE, '$2');
export const inTools = (text: string): string => text.replaceAll(TOOL_AND_ROUTE, '$1');
