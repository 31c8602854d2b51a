/**
 * Why the canary does not try a task.
 *
 * @module
 */
import type { Accounts } from '../../accounts/accounts.ts'
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { loginNeed } from '../../catalogue/login-need.ts'
import { allowsTask } from '../../domain/account.ts'
import { CANARY_ACCOUNT_ID } from '../../domain/health/canary.ts'
import type { Logins } from '../../login/logins.ts'

/** The reasons, as pages and the command line say them after "not tried:". */
export const OBSTACLES = {
  login: 'needs a login',
  suspended: 'the account canary is suspended',
  excluded: "the account canary's permissions exclude it",
} as const
export type Obstacle = keyof typeof OBSTACLES

export type ObstacleDeps = {
  readonly accounts: Pick<Accounts, 'state'>
  readonly logins: Pick<Logins, 'usable'>
  /** with the operator's credentials for sources */
  readonly config: { readonly sourceSettings: ReadonlyMap<string, string> }
}

/**
 * The tasks that the canary does not try now, by key, with the reason. Without the account `canary`, which the service
 * opens when it is first needed, only logins are missing.
 *
 * @throws {StoreUnavailable}
 */
export async function obstaclesOf(
  deps: ObstacleDeps,
  tasks: readonly CatalogueTask[],
): Promise<ReadonlyMap<string, Obstacle>> {
  const { tasks: allowed, suspended } = await deps.accounts.state(CANARY_ACCOUNT_ID)
  const needing = tasks.filter((task) => loginNeed(deps.config, task) === 'needed')
  const signedIn = new Set<string>()
  for (const name of new Set(needing.map(({ source }) => source.name)))
    if (await deps.logins.usable(CANARY_ACCOUNT_ID, name)) signedIn.add(name)
  const obstacle = (task: CatalogueTask): Obstacle | undefined => {
    if (suspended) return 'suspended'
    if (!allowsTask(allowed, task.key)) return 'excluded'
    return needing.includes(task) && !signedIn.has(task.source.name) ? 'login' : undefined
  }
  return new Map(
    tasks.flatMap((task) => {
      const reason = obstacle(task)
      return reason ? [[task.key, reason] as const] : []
    }),
  )
}
