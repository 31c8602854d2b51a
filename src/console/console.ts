/**
 * The console: pages for people, rendered by the service, which work without scripts. Their actions are subject to the
 * same admission, limits, credits and events as the API.
 *
 * @module
 */
import { type App, createApp } from '../http/api.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { Once } from '../http/idempotency.ts'
import type { Problem } from '../http/problems.ts'
import { creditPages } from './account/credits/page.ts'
import { homePages } from './account/home.ts'
import { itemRoutes } from './account/items/routes.ts'
import { keyPages } from './account/keys.ts'
import { loginPages } from './account/logins.ts'
import { memberPages } from './account/members.ts'
import { runPages } from './account/run/page.ts'
import { runsPages } from './account/runs/page.ts'
import { searchPages } from './account/search/page.ts'
import { settingsPages } from './account/settings.ts'
import { taskPages } from './account/task/page.ts'
import { tasksPages } from './account/tasks/page.ts'
import { webhooksPages } from './account/webhooks/list.ts'
import { webhookPages } from './account/webhooks/page.ts'
import { assetOf } from './assets.ts'
import { entrancePages } from './entrance/pages.ts'
import { errorDocument } from './error.ts'
import { liveStreams } from './live-stream.ts'
import { mePages } from './me.ts'
import { operatorAccountPages } from './operator/account.ts'
import { accountsPages } from './operator/accounts.ts'
import { exitPages } from './operator/exits/page.ts'
import { peoplePages } from './operator/people.ts'
import { capturePages } from './operator/sources/captures/page.ts'
import { sourcesPages } from './operator/sources/list.ts'
import { sourcePages } from './operator/sources/source.ts'
import { systemPages } from './operator/system.ts'
import { seeOther } from './redirect.ts'
import { isPageRequest, openRoute, type PageRoute, personRoute, routeOf } from './route.ts'
import { StatusBoard } from './status/board.ts'
import { statusRoutes } from './status/routes.ts'
import { type PageDeps, toLastAccount } from './visitor.ts'

const LISTED: readonly PageRoute[] = [
  openRoute('GET', '/console/assets/:version/:name', ({ call }) => assetOf(call.params.name)),
  statusRoutes,
  entrancePages,
  mePages,
  accountsPages,
  operatorAccountPages,
  peoplePages,
  sourcesPages,
  sourcePages,
  capturePages,
  exitPages,
  systemPages,
  // After all fixed paths: `:account` would match `operator` and `me` too.
  homePages,
  liveStreams,
  tasksPages,
  taskPages,
  runsPages,
  runPages,
  itemRoutes,
  keyPages,
  creditPages,
  loginPages,
  webhooksPages,
  webhookPages,
  memberPages,
  settingsPages,
  searchPages,
].flat()

const GETS = new Set(LISTED.filter(({ method }) => method === 'GET').map(({ path }) => path))

/** The pages of accounts without the account in their paths lead to the account that was used last. */
const WITHOUT_ACCOUNT = [...GETS]
  .filter((path) => path.startsWith('/console/:account'))
  .map((path) => personRoute('GET', path.replace('/:account', ''), toLastAccount))

/** The address of a form, which a browser shows after the form was refused, leads to the page of the form. */
const FORM_ADDRESSES = LISTED.filter(({ method, path }) => method === 'POST' && !GETS.has(path)).map(
  ({ path }) =>
    personRoute('GET', path, ({ base, url }) => {
      const lengths = [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))
      const page = lengths.findLast((each) => GETS.has(each)) ?? '/console'
      return seeOther(base + url.pathname.split('/').slice(0, page.split('/').length).join('/'))
    }),
)

const PAGES: readonly PageRoute[] = [...LISTED, ...WITHOUT_ACCOUNT, ...FORM_ADDRESSES]

/** All pages as endpoints, which accept no API keys. */
export function consoleEndpoints(deps: PageDeps): Endpoint[] {
  const all = { ...deps, once: new Once(deps), status: new StatusBoard(deps) }
  return PAGES.map((page) => routeOf(all, page))
}

/** The console as a separate application, which shows errors to browsers as pages. */
export function createConsole(deps: PageDeps): App {
  const errorPage = (request: Request, problem: Problem, requestId: string) =>
    isPageRequest(request) ? errorDocument(deps, request, problem, requestId) : undefined
  return createApp({ ...deps, errorPage }, consoleEndpoints(deps))
}
