/**
 * The pages of an account.
 *
 * @module
 */
import type { ConsoleDeps } from '../deps.ts'
import type { PageRoute } from '../route.ts'
import { changeRoutes } from './changes.ts'
import { creditRoutes } from './credits.ts'
import { homeRoutes } from './home.ts'
import { keyRoutes } from './keys.ts'
import { loginRoutes } from './logins.ts'
import { memberRoutes } from './members.ts'
import { runRoutes } from './run.ts'
import { runsRoutes } from './runs.ts'
import { settingsRoutes } from './settings.ts'
import { taskRoutes } from './task.ts'
import { tasksRoutes } from './tasks.ts'
import { webhookRoutes } from './webhook.ts'
import { webhooksRoutes } from './webhooks.ts'

export const accountPages = (deps: ConsoleDeps): PageRoute[] =>
  [
    homeRoutes,
    changeRoutes,
    keyRoutes,
    tasksRoutes,
    taskRoutes,
    runsRoutes,
    runRoutes,
    creditRoutes,
    loginRoutes,
    webhooksRoutes,
    webhookRoutes,
    memberRoutes,
    settingsRoutes,
  ].flatMap((routes) => routes(deps))
