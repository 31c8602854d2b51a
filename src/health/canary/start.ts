/**
 * Starts the runs of the canary: as runs of the account `canary`, which the service opens when it is first needed, and
 * free of charge.
 *
 * @module
 */
import type { Accounts } from '../../accounts/accounts.ts'
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import { CANARY_ACCOUNT_ID as accountId } from '../../domain/health/canary.ts'
import type { Logger } from '../../logger.ts'
import type { Admission, Admit } from '../../runs/admit.ts'
import type { Probe } from './probes.ts'

export type StartDeps = {
  readonly accounts: Pick<Accounts, 'handle'>
  readonly admit: Pick<Admit, 'admit' | 'inTurn'>
  readonly logger: Pick<Logger, 'warn'>
  /** milliseconds since 1970 */
  readonly now: () => number
}

/** The title of a probe: the summary of its input, else the input. */
export function titleOf({ task, input }: Probe): string {
  return summaryOf(task, input) ?? JSON.stringify(input)
}

/**
 * Starts the run of a probe, or finds the run of its key.
 *
 * @param key its Idempotency-Key; undefined: always a new run
 * @throws {StoreUnavailable}
 */
export async function startProbe(
  { accounts, admit, logger, now }: StartDeps,
  probe: Probe,
  key: string | undefined,
): Promise<Admission | undefined> {
  const { task, input } = probe
  const valid = task.validate(input, {}, now())
  if (!('canonical' in valid)) {
    const [issue] = valid
    logger.warn(
      { task: task.key, input: probe.number, issue: `${issue?.pointer} ${issue?.detail}` },
      'An input of the canary is not valid any more, so it was not tried. Change it in the plugin.',
    )
    return undefined
  }
  const cause = { actor: 'service', correlationId: 'canary', causationId: 'canary' } as const
  await accounts.handle({ type: 'open', accountId, name: 'canary', credits: 0 }, { ...cause, accountId })
  return admit.inTurn(accountId, key, () =>
    admit.admit({
      accountId,
      keyId: null,
      actor: 'service',
      taskKey: task.key,
      // Nothing is charged, so nothing can be refunded, and further blocks are refused by the worker.
      price: 0,
      input: valid.canonical,
      title: summaryOf(task, input),
      runLimitS: task.runLimitS,
      failedOnly: task.declaration.failedOnly ?? false,
      idempotencyKey: key,
      requestId: 'canary',
    }),
  )
}

/** A summary that fails must not fail the run. */
function summaryOf(task: CatalogueTask, input: Probe['input']): string | null {
  try {
    return task.summary(input)
  } catch {
    return null
  }
}
