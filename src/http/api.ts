/**
 * The HTTP API: all endpoints, each with what it needs.
 *
 * @module
 */
import { type App, createApp } from './app.ts'
import type { Deps } from './deps.ts'
import type { Endpoint } from './endpoint.ts'
import { accountEndpoints } from './routes/account.ts'
import { documentEndpoints } from './routes/documents.ts'
import { eventEndpoints } from './routes/events.ts'
import { hostedEndpoints } from './routes/hosted.ts'
import { keyEndpoints } from './routes/keys.ts'
import { loginEndpoints } from './routes/logins.ts'
import { operatorEndpoints } from './routes/operator.ts'
import { runEndpoints } from './routes/runs.ts'
import { systemEndpoints } from './routes/system.ts'
import { taskEndpoints } from './routes/tasks.ts'

/** All endpoints that the documents describe, including those of the plugins' tasks. */
export function endpointsOf(deps: Deps): Endpoint[] {
  const described = [
    ...taskEndpoints(deps),
    ...runEndpoints(deps),
    ...accountEndpoints(deps),
    ...loginEndpoints(deps),
    ...eventEndpoints(deps),
    ...keyEndpoints(deps),
    ...operatorEndpoints(deps),
    ...systemEndpoints(deps),
  ]
  return [...described, ...documentEndpoints(deps, described)]
}

/** All endpoints of the service. No document describes those of the hosted page, which only the page calls. */
export const routesOf = (deps: Deps): Endpoint[] => [...endpointsOf(deps), ...hostedEndpoints(deps)]

/** The application behind one `fetch`. A process without the role `api` answers only how it is doing. */
export const createApi = (deps: Deps): App =>
  createApp(deps, deps.config.roles.has('api') ? routesOf(deps) : systemEndpoints(deps))
