/**
 * The service's documentation: OpenAPI, AsyncAPI, and a page for people; and the root, which redirects to the console.
 * None of these endpoints needs a key.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { basePath } from '../../page/document.ts'
import { versionOf } from '../../version.ts'
import type { Deps } from '../deps.ts'
import type { Endpoint } from '../endpoint.ts'
import { asyncApi } from '../openapi/asyncapi.ts'
import { openApi } from '../openapi/document.ts'
import { docsPage } from '../openapi/page/page.ts'
import { openRoute } from './system.ts'

type Document = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

/** While the service starts. */
const STARTING = { problems: ['store-unavailable'] } as const
const ANY_ORIGIN = { 'access-control-allow-origin': '*' }

/**
 * The three documents, and the root.
 *
 * @param described all other endpoints. The OpenAPI document describes them and the document endpoints
 */
export function documentEndpoints(
  { config: { publicUrl } }: Pick<Deps, 'config'>,
  described: readonly Endpoint[],
): Endpoint[] {
  const options = { version: versionOf(), publicUrl }
  const api = () => openApi([...described, ...endpoints], options)
  const front = `${basePath(publicUrl)}/console`
  const endpoints: Endpoint[] = [
    openRoute('GET', '/', {
      ...STARTING,
      id: 'getRoot',
      summary: 'Go to the console',
      answers: { 302: { description: 'A redirect to the console.' } },
      handle: () => new Response(null, { status: 302, headers: { location: front } }),
    }),
    document('/openapi.json', 'getOpenApi', 'Get this API as OpenAPI 3.1', 'application/json', () => ({
      body: JSON.stringify(api()),
      headers: ANY_ORIGIN,
    })),
    document('/asyncapi.json', 'getAsyncApi', 'Get the events as AsyncAPI 3.0', 'application/json', () => ({
      body: JSON.stringify(asyncApi(options)),
      headers: ANY_ORIGIN,
    })),
    document('/docs', 'getDocs', 'Read this documentation', 'text/html', () => docsPage(api())),
  ]
  return endpoints
}

/** @param make called at the first request. The document never changes while the process runs */
function document(
  path: string,
  id: string,
  summary: string,
  contentType: 'application/json' | 'text/html',
  make: () => Document,
): Endpoint {
  let content: Document | undefined
  let etag = ''
  const isJson = contentType === 'application/json'
  const schema = isJson ? Type.Unsafe<object>({ type: 'object', examples: [{}] }) : Type.String()
  return openRoute('GET', path, {
    ...STARTING,
    id,
    summary,
    answers: {
      200: { description: 'The document.', content: { [contentType]: schema }, headers: ['ETag'] },
      304: { description: 'Not modified: If-None-Match contains the ETag.', headers: ['ETag'] },
    },
    handle: ({ request }) => {
      content ??= make()
      etag ||= `"${hash('sha256', content.body, 'base64url').slice(0, 22)}"`
      const type = isJson ? contentType : `${contentType}; charset=utf-8`
      const headers = { 'content-type': type, 'cache-control': 'no-cache', etag, ...content.headers }
      const known = request.headers.get('if-none-match')?.includes(etag)
      return known ? new Response(null, { status: 304, headers }) : new Response(content.body, { headers })
    },
  })
}
