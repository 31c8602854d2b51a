/**
 * The HTTP application: every endpoint of every list, behind one `fetch`.
 *
 * @module
 */
import { bearer } from '@elysiajs/bearer'
import { Elysia } from 'elysia'
import type { Deps } from './deps.ts'
import type { Endpoint } from './endpoint.ts'
import { asGet } from './head.ts'
import { type RawParams, refuse, serveEndpoint } from './pipeline.ts'
import { Problem } from './problems.ts'

/** What a runtime's server is given. */
export type App = { fetch(request: Request): Response | Promise<Response> }

/** What Elysia hands to a route, as far as it is used here. Naming no more keeps it from parsing the rest. */
type Context = {
  readonly request: Request
  readonly params?: RawParams
  readonly bearer?: string | undefined
}

/**
 * Routes the endpoints. Answers 404 for paths of none of them, and 405 with `Allow` for other methods.
 *
 * @throws when two endpoints have one method and path
 */
export function createApp(deps: Deps, endpoints: readonly Endpoint[]): App {
  // Elysia takes host names for long otherwise, and finds no path behind one like http://api/.
  const handler = { standardHostname: false }
  const app = new Elysia({ strictPath: true, handler }).use(bearer())
  const options = { parse: 'none' } as const
  for (const [path, methods] of methodsByPath(endpoints)) {
    for (const endpoint of methods.values()) {
      const serve = serveEndpoint(deps, endpoint)
      const route = ({ request, params, bearer }: Context) => serve(request, params, bearer)
      app.route(endpoint.method, path, route, options)
    }
    const allow = allowOf(methods)
    const wrongMethod = ({ request }: Context) =>
      refuse(deps, request, path, new Problem('method-not-allowed', { headers: { allow } }))
    app.all(path, wrongMethod, options)
  }
  app.all('/*', ({ request }: Context) => refuse(deps, request, 'none', new Problem('not-found')), options)
  app.onError(({ error, request }) => refuse(deps, request, 'none', error))
  const { fetch } = app
  return {
    fetch: (request) => fetch(request.method === 'HEAD' ? asGet(request) : request),
  }
}

type Methods = ReadonlyMap<string, Endpoint>

function methodsByPath(endpoints: readonly Endpoint[]): ReadonlyMap<string, Methods> {
  const paths = new Map<string, Map<string, Endpoint>>()
  for (const endpoint of endpoints) {
    const { method, path } = endpoint
    const methods = paths.get(path) ?? new Map<string, Endpoint>()
    if (methods.has(method)) throw new Error(`two endpoints for ${method} ${path}`)
    paths.set(path, methods.set(method, endpoint))
  }
  return paths
}

const allowOf = (methods: Methods): string =>
  [...methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
