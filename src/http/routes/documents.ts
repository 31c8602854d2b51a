/**
 * What the service says of itself: OpenAPI, AsyncAPI, and a page for people, to which the root leads. None of them needs a
 * key.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Type } from '@sinclair/typebox'
import type { Deps } from '../deps.ts'
import type { Endpoint, EndpointDoc } from '../endpoint.ts'
import { asyncApi } from '../openapi/asyncapi.ts'
import { openApi } from '../openapi/document.ts'
import { docsPage } from '../openapi/page/page.ts'

/** A document that is made when it is first asked for and never changes while the process runs. */
type Made = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

/**
 * The three documents, and the root.
 *
 * @param described all other endpoints; these are described beside them
 */
export function documentEndpoints(
  { config }: Pick<Deps, 'config'>,
  described: readonly Endpoint[],
): Endpoint[] {
  const options = { version: versionOf(), publicUrl: config.publicUrl }
  const api = () => openApi([...described, ...endpoints], options)
  const endpoints: Endpoint[] = [
    root(`${new URL(config.publicUrl).pathname.replace(/\/$/, '')}/docs`),
    document('/openapi.json', 'getOpenApi', 'This API as OpenAPI 3.1', 'application/json', () => ({
      body: JSON.stringify(api()),
      headers: { 'access-control-allow-origin': '*' },
    })),
    document('/asyncapi.json', 'getAsyncApi', 'The events as AsyncAPI 3.0', 'application/json', () => ({
      body: JSON.stringify(asyncApi(options)),
      headers: { 'access-control-allow-origin': '*' },
    })),
    document('/docs', 'getDocs', 'This API as a page for people', 'text/html', () => docsPage(api())),
  ]
  return endpoints
}

/** Somebody who opens the address of the service wants to know what it is. @param docs path of the page for a browser */
const root = (docs: string): Endpoint => ({
  method: 'GET',
  path: '/',
  access: { kind: 'public' },
  rate: null,
  doc: {
    id: 'getRoot',
    tag: 'System',
    summary: 'Leads to the documentation',
    answers: { 302: { description: 'Location is the documentation page.' } },
  },
  handle: () => new Response(null, { status: 302, headers: { location: docs } }),
})

function document(
  path: string,
  id: string,
  summary: string,
  contentType: string,
  make: () => Made,
): Endpoint {
  let made: (Made & { readonly etag: string }) | undefined
  const isJson = contentType === 'application/json'
  const answers: EndpointDoc['answers'] = {
    200: {
      description: 'The document.',
      contentType,
      schema: isJson ? Type.Unsafe<object>({ type: 'object' }) : Type.String(),
    },
    304: { description: 'If-None-Match has its ETag.' },
  }
  return {
    method: 'GET',
    path,
    access: { kind: 'public' },
    rate: null,
    doc: { id, tag: 'System', summary, answers },
    handle: ({ request }) => {
      made ??= withEtag(make())
      const headers = {
        'content-type': isJson ? contentType : `${contentType}; charset=utf-8`,
        'cache-control': 'no-cache',
        etag: made.etag,
        ...made.headers,
      }
      const known = request.headers.get('if-none-match')?.includes(made.etag)
      return known ? new Response(null, { status: 304, headers }) : new Response(made.body, { headers })
    },
  }
}

function versionOf(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

function withEtag(made: Made): Made & { readonly etag: string } {
  return { ...made, etag: `"${hash('sha256', made.body, 'base64url').slice(0, 22)}"` }
}
