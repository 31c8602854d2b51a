/**
 * The HTTP API: all endpoints behind one `fetch`.
 *
 * @module
 */
import { Elysia } from 'elysia'
import { bearerKey } from './bearer.ts'
import type { Deps } from './deps.ts'
import type { Endpoint } from './endpoint.ts'
import { asGet } from './head.ts'
import { Once } from './idempotency.ts'
import { type Context, pathOf, refuse, serveEndpoint } from './pipeline.ts'
import { Problem } from './problems.ts'
import { accountEndpoints } from './routes/account.ts'
import { documentEndpoints } from './routes/documents.ts'
import { eventEndpoints } from './routes/events.ts'
import { hostedEndpoints } from './routes/hosted.ts'
import { keyEndpoints } from './routes/keys.ts'
import { loginEndpoints } from './routes/logins.ts'
import { mcpEndpoint } from './routes/mcp.ts'
import { operatorEndpoints } from './routes/operator.ts'
import { runEndpoints } from './routes/runs.ts'
import { systemEndpoints } from './routes/system.ts'
import { taskEndpoints } from './routes/tasks.ts'
import { webhookEndpoints } from './routes/webhooks.ts'

/** The application that a runtime's server calls. */
export type App = { fetch(request: Request): Response | Promise<Response> }

/** Loads the pages of the console; called at the first request for one. */
export type Pages = () => Promise<App>

/**
 * Routes the endpoints. Answers 404 for unknown paths, and 405 with `Allow` for other methods of known paths.
 *
 * @param pages answers requests below `/console` and `/status`, and browsers that open an unknown path
 * @throws if two endpoints have the same method and path
 */
export function createApp(deps: Deps, endpoints: readonly Endpoint[], pages?: Pages): App {
  // Without this, Elysia expects long host names and finds no path after a short one such as http://api/.
  const handler = { standardHostname: false }
  const app = new Elysia({ strictPath: true, handler }).use(bearerKey())
  const options = { parse: 'none' } as const
  for (const [path, declared] of Map.groupBy(endpoints, ({ path }) => path)) {
    const methods = declared.map(({ method }) => method)
    if (new Set(methods).size < methods.length) throw new Error(`two endpoints for one method of ${path}`)
    for (const endpoint of declared) {
      const serve = serveEndpoint(deps, endpoint)
      // Elysia parses only the fields that a handler names.
      const route = ({ request, bearer, params }: Context) => serve({ request, bearer, params })
      app.route(endpoint.method, path, route, options)
    }
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    const wrongMethod = ({ request }: Context) =>
      refuse(deps, request, path, new Problem('method-not-allowed', { headers: { allow } }))
    app.all(path, wrongMethod, options)
  }
  if (pages) {
    const show = async ({ request }: Context) => (await pages()).fetch(request)
    for (const path of ['/console', '/console/*', '/status', '/status/*']) app.all(path, show, options)
  }
  const unknown = async ({ request }: Context) =>
    pages && isForPeople(request)
      ? (await pages()).fetch(request)
      : refuse(deps, request, 'none', new Problem('not-found'))
  app.all('/*', unknown, options)
  app.onError(({ error, request }) => refuse(deps, request, 'none', error))
  const { fetch } = app
  return {
    fetch(sent) {
      const request = URL.canParse(sent.url) ? sent : withHost(sent)
      return fetch(request.method === 'HEAD' ? asGet(request) : request)
    },
  }
}

/** Whether a browser opens a path that is none of the API's. */
const isForPeople = ({ url, headers }: Request): boolean =>
  /text\/html/i.test(headers.get('accept') ?? '') && !/^\/(v1|admin)\//.test(pathOf(url))

/** The request with a valid Host. Health checks by HTTP/1.0 send none, and nothing here depends on it. */
const withHost = (request: Request): Request =>
  new Request(`http://localhost${request.url.replace(/^https?:\/\/[^/]*/, '')}`, request)

/** All endpoints that the documents describe, including the plugins' task endpoints. */
export function endpointsOf(deps: Deps): Endpoint[] {
  const once = new Once(deps)
  const described = [
    ...taskEndpoints(deps),
    ...runEndpoints(deps),
    ...accountEndpoints(deps),
    ...loginEndpoints(deps, once),
    ...eventEndpoints(deps),
    mcpEndpoint(deps),
    ...keyEndpoints(deps, once),
    ...webhookEndpoints(deps, once),
    ...operatorEndpoints(deps, once),
    ...systemEndpoints(deps),
  ]
  return [...described, ...documentEndpoints(deps, described)]
}

/** All endpoints of the service. The documents omit the endpoints of the hosted page, which only the page calls. */
export const routesOf = (deps: Deps): Endpoint[] => [...endpointsOf(deps), ...hostedEndpoints(deps)]

/** The application behind one `fetch`. A process without the role `api` serves only health and metrics. */
export const createApi = (deps: Deps, pages: Pages): App =>
  deps.config.roles.has('api')
    ? createApp(deps, routesOf(deps), pages)
    : createApp(deps, systemEndpoints(deps))
