/**
 * The HTTP API, put together: all endpoints with what they are given.
 *
 * @module
 */
import { accountEndpoints } from './http/account.ts'
import { adminEndpoints } from './http/admin.ts'
import { type App, createApp } from './http/app.ts'
import type { Deps } from './http/deps.ts'
import { documentEndpoints } from './http/documents.ts'
import type { Endpoint } from './http/endpoint.ts'
import { feedEndpoints } from './http/feed.ts'
import { hostedEndpoints } from './http/hosted/endpoints.ts'
import { loginEndpoints } from './http/logins.ts'
import { operatorEndpoints } from './http/operator.ts'
import { runEndpoints } from './http/runs.ts'
import { systemEndpoints } from './http/system.ts'
import { taskEndpoints } from './http/tasks.ts'
import type { Metrics } from './metrics.ts'

/** What all endpoints together are given. */
export type ApiDeps = Deps & { readonly metrics: Metrics }

/** All endpoints that the documents tell of, those that come from plugins included. */
export function endpointsOf(deps: ApiDeps): Endpoint[] {
  const described = [
    ...taskEndpoints(deps),
    ...runEndpoints(deps),
    ...accountEndpoints(deps),
    ...loginEndpoints(deps),
    ...feedEndpoints(deps),
    ...adminEndpoints(deps),
    ...operatorEndpoints(deps),
    ...systemEndpoints(deps),
  ]
  return [...described, ...documentEndpoints(deps, described)]
}

/** All endpoints of the service: the hosted page's are for it alone, and in no document. */
export const routesOf = (deps: ApiDeps): Endpoint[] => [...endpointsOf(deps), ...hostedEndpoints(deps)]

/** The application behind one `fetch`: of a process without the role `api` it only tells how the process does. */
export const createApi = (deps: ApiDeps): App =>
  createApp(deps, deps.config.roles.has('api') ? routesOf(deps) : systemEndpoints(deps))
