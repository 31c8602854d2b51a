/**
 * The HTTP API, put together: all endpoints with what they are given.
 *
 * @module
 */

import type { Metrics } from '../metrics.ts'
import { type App, createApp } from './app.ts'
import type { Deps } from './deps.ts'
import type { Endpoint } from './endpoint.ts'
import { hostedEndpoints } from './hosted/endpoints.ts'
import { accountEndpoints } from './routes/account.ts'
import { documentEndpoints } from './routes/documents.ts'
import { feedEndpoints } from './routes/events.ts'
import { adminEndpoints } from './routes/keys.ts'
import { loginEndpoints } from './routes/logins.ts'
import { operatorEndpoints } from './routes/operator.ts'
import { runEndpoints } from './routes/runs.ts'
import { systemEndpoints } from './routes/system.ts'
import { taskEndpoints } from './routes/tasks.ts'

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
