/**
 * The operator's pages. Nobody else can tell that they are there.
 *
 * @module
 */
import type { ConsoleDeps } from '../deps.ts'
import type { PageRoute } from '../route.ts'
import { accountRoutes } from './account.ts'
import { accountsRoutes } from './accounts.ts'
import { peopleRoutes } from './people.ts'
import { sourcesRoutes } from './sources.ts'

export const operatorPages = (deps: ConsoleDeps): PageRoute[] =>
  [accountsRoutes, peopleRoutes, sourcesRoutes, accountRoutes].flatMap((routes) => routes(deps))
