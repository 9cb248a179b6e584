import type { JsonSchema } from '../schema.ts';
import type { OpenApiObject } from './components.ts';

/** The multipart form of an upload. The file's name comes with the file. */
export function uploadOf(schema: JsonSchema): OpenApiObject {
  const { fileName: _, ...fields } = schema.properties ?? {};
  return {
    required: true,
    description: 'Fields come before the file.',
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { ...fields, file: { type: 'string', contentMediaType: 'application/octet-stream' } },
          required: ['file'],
        },
        encoding: { metadata: { contentType: 'application/json' } },
      },
    },
  };
}

/** Fields of a download that are HTTP headers; the others are in the query. */
const HEADERS: Readonly<Record<string, string>> = { range: 'Range', ifRange: 'If-Range', ifNoneMatch: 'If-None-Match' };

export function downloadOf(schema: JsonSchema): {
  readonly parameters: OpenApiObject[];
  readonly responses: OpenApiObject;
} {
  return {
    parameters: Object.entries(schema.properties ?? {}).map(([field, property]) => ({
      name: HEADERS[field] ?? field,
      in: HEADERS[field] ? 'header' : 'query',
      required: schema.required?.includes(field) ?? false,
      schema: property,
    })),
    responses: 'range' in (schema.properties ?? {}) ? FILES : WHOLE,
  };
}

const BYTES: OpenApiObject = { schema: { type: 'string', contentMediaType: 'application/octet-stream' } };
/** openapi-python-client knows this type alone, and leaves an answer without it out. */
const CONTENT: OpenApiObject = { 'application/octet-stream': BYTES };
/** A strict client refuses what is not described: a file comes with its own type. */
const ANY: OpenApiObject = { ...CONTENT, '*/*': BYTES };

/** What is made on the way, line by line. */
const WHOLE: OpenApiObject = {
  '200': {
    description: 'One JSON object per line (`application/jsonl`). `X-Entries` says how many follow.',
    content: { 'application/jsonl': { schema: { type: 'string' } }, ...CONTENT },
  },
};

const FILES: OpenApiObject = {
  '200': { description: 'The content, with its own media type.', content: ANY },
  '206': { description: 'The requested range.', content: ANY },
  '304': { description: 'The caller already has this content.' },
  '416': { description: 'The range lies outside the content.' },
};
