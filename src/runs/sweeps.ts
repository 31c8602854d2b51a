/**
 * The sweeps of a process with the role worker: they reconcile runs, and delete expired data and data that crashes left
 * in the stores other than the log.
 *
 * @module
 */
import type { Artifacts } from '../artifacts/artifacts.ts'
import { HOUR_MS, MINUTE_MS, type Repeated, SECOND_MS } from '../async/repeat.ts'

/** @param signal ends the sweep early @throws {StoreUnavailable} */
type Sweep = (signal: AbortSignal) => Promise<unknown>
type Swept = { readonly sweep: Sweep }

export type SweepDeps = {
  readonly reconciler: { readonly once: Sweep }
  readonly artifacts: Pick<Artifacts, 'sweep'>
  readonly webhooks: Swept & { readonly sweepDeliveries: Sweep }
  readonly people: Swept
  readonly invitations: Swept
  /** signed-in states */
  readonly states: Swept
  /** whether the clock can be trusted to delete by, see clock-check.ts */
  readonly clockCheck: { isTrusted(): Promise<boolean> }
  /** milliseconds since 1970 */
  readonly now: () => number
}

export function sweepsOf(deps: SweepDeps): readonly Repeated[] {
  const { reconciler, artifacts, webhooks, clockCheck, now } = deps
  const deleting =
    (sweep: Sweep): Sweep =>
    async (signal) => {
      if (await clockCheck.isTrusted()) await sweep(signal)
    }
  const sweepArtifacts: Sweep = async (signal) => {
    while ((await artifacts.sweep(now(), signal)) > 0 && !signal.aborted);
  }
  const vaultSweeps = [deps.people, deps.invitations, webhooks, deps.states].map((swept) => ({
    everyMs: HOUR_MS,
    act: deleting((signal) => swept.sweep(signal)),
    failure: 'The vault could not be swept. The sweep is retried in a minute.',
  }))
  return [
    {
      everyMs: SECOND_MS,
      act: (signal) => reconciler.once(signal),
      failure: 'Runs could not be reconciled. The next round tries again.',
    },
    {
      everyMs: MINUTE_MS,
      act: deleting(sweepArtifacts),
      failure: 'Expired artifacts could not be deleted. The sweep is retried in a minute.',
    },
    {
      everyMs: MINUTE_MS,
      act: deleting((signal) => webhooks.sweepDeliveries(signal)),
      failure: 'Old webhook deliveries could not be deleted. The sweep is retried in a minute.',
    },
    ...vaultSweeps,
  ]
}
