/**
 * The console: pages for people, rendered by the service, whole without scripts. What they do goes through the same
 * admission, limits, credits and events as the API.
 *
 * @module
 */
import { type App, createApp } from '../http/api.ts'
import type { Endpoint } from '../http/endpoint.ts'
import type { Problem } from '../http/problems.ts'
import { accountPages } from './account/pages.ts'
import { assetOf } from './assets.ts'
import type { ConsoleDeps } from './deps.ts'
import { entrancePages } from './entrance/pages.ts'
import { errorDocument } from './error.ts'
import { mePages } from './me.ts'
import { operatorPages } from './operator/pages.ts'
import { isPageRequest, type PageRoute, routeOf } from './route.ts'

/** All pages, as endpoints that no key opens. */
export function consoleEndpoints(deps: ConsoleDeps): Endpoint[] {
  const pages: PageRoute[] = [
    ...entrancePages(deps),
    ...mePages(deps),
    ...operatorPages(deps),
    // Last: paths below an account's id.
    ...accountPages(deps),
  ]
  return [
    routeOf(deps, {
      method: 'GET',
      path: '/console/assets/:name',
      handle: ({ params }) => assetOf(params.name),
    }),
    ...pages.map((page) => routeOf(deps, page)),
  ]
}

/** The console as an application of its own, whose errors are pages for browsers. */
export function createConsole(deps: ConsoleDeps): App {
  const errorPage = (request: Request, problem: Problem, requestId: string) =>
    isPageRequest(request) ? errorDocument(deps.config.publicUrl, problem, requestId) : undefined
  return createApp({ ...deps, errorPage }, consoleEndpoints(deps))
}
