/**
 * The invariants of every world of runs. They follow the guarantees to users, not the implementation, and use only the
 * events and the answers that clients received.
 *
 * @module
 */
import type { RunId } from '../../../src/domain/ids.ts'
import { isAdmitted, isEnded, isLeased, MAX_ATTEMPTS } from '../../../src/domain/run.ts'
import type { Written } from '../stream.ts'
import type { Kickoff } from './kickoff.ts'
import type { Accounts, ActorName, Runs, World } from './world.ts'

const ENDS = new Set(['RunSucceeded', 'RunFailed', 'RunErrored', 'RunCancelled', 'RunExpired'])

/** Streams are immutable, so each is checked once. */
const judged = new WeakMap<object, string | undefined>()
function once<T extends Runs | Accounts>(
  stream: T,
  judge: (events: readonly Written[]) => string | undefined,
) {
  if (!judged.has(stream)) judged.set(stream, judge(stream.after(-1)))
  return judged.get(stream)
}

/** What is wrong with the stream of a run. */
function wrongRun(events: readonly Written[]): string | undefined {
  let holder: string | undefined
  let leaseUntil = ''
  let isWanted = true
  let lost = 0
  let ended: string | undefined
  for (const [i, { by, event, meta }] of events.entries()) {
    const { type } = event
    if (ended !== undefined) return `${type} comes after ${ended}`
    if (i === 0 && type !== 'RunRequested' && type !== 'RunNotAdmitted') return `a run begins with ${type}`
    if (i > 0 && (type === 'RunRequested' || type === 'RunNotAdmitted'))
      return `${type} is not the first event`
    switch (type) {
      case 'RunStarted':
        if (holder) return 'a run was started that another worker has'
        if (event.data.attempt > MAX_ATTEMPTS) return `attempt ${event.data.attempt} was started`
        holder = by
        leaseUntil = event.data.lease_until
        break
      case 'RunProgressed':
      case 'ResultStored':
      case 'ArtifactStored':
        if (by !== holder) return `${by} wrote ${type} while ${holder ?? 'nobody'} had the run`
        if (type === 'RunProgressed') leaseUntil = event.data.lease_until
        break
      case 'RunRequeued':
        holder = undefined
        if (event.data.reason === 'shutdown') break
        if (meta.at < leaseUntil) return 'a run was taken from a worker whose lease had not ended'
        if (++lost > MAX_ATTEMPTS - 1) return 'a run was requeued too often'
        break
      case 'RunErrored':
        if (lost < MAX_ATTEMPTS - 1) return 'a run was given up that could have been tried again'
        break
      case 'RunCancelRequested':
        isWanted = false
        break
      case 'RunNotAdmitted':
        ended = type
        break
      case 'RunSucceeded':
        if (!isWanted) return 'a cancelled run succeeded'
        if (by !== holder) return `${by} ended a run that ${holder ?? 'nobody'} had`
    }
    if (ENDS.has(type)) ended = type
  }
  return undefined
}

/** What is wrong with the stream of the account. */
function wrongAccount(events: readonly Written[]): string | undefined {
  let balance = 0
  let level = 0
  /** whether the charge before this event took the balance below the level */
  let isLow = false
  const runs = new Map<string, { charged: number; refunded: number; charges: Set<number> }>()
  for (const { event } of events) {
    if (isLow !== (event.type === 'CreditsLow')) return lowIsWrong(isLow)
    isLow = false
    switch (event.type) {
      case 'CreditsLevelSet':
        level = event.data.level ?? 0
        break
      case 'CreditsGranted':
        balance += event.data.amount
        break
      case 'CreditsCharged':
      case 'CreditsRefunded': {
        const { run_id, amount, balance_after } = event.data
        const run = runs.get(run_id) ?? { charged: 0, refunded: 0, charges: new Set() }
        runs.set(run_id, run)
        if (event.type === 'CreditsCharged') {
          const { block = 0 } = event.data
          if (run.charges.has(block))
            return `the same was charged twice: ${block === 0 ? 'a kickoff' : `block ${block}`}`
          run.charges.add(block)
          run.charged += amount
          isLow = balance >= level && balance - amount < level
          balance -= amount
        } else {
          run.refunded += amount
          balance += amount
        }
        if (balance < 0) return 'the balance is negative'
        if (balance !== balance_after) return `the balance is ${balance}, and the event says ${balance_after}`
        if (run.refunded > run.charged) return 'more came back than was taken'
      }
    }
  }
  return isLow ? lowIsWrong(isLow) : undefined
}

const lowIsWrong = (isLow: boolean): string =>
  isLow ? 'the balance fell below the level without CreditsLow' : 'CreditsLow without a fall below the level'

/**
 * What is wrong with a world.
 *
 * @param idsOf the runs to which the Idempotency-Key of each kickoff may lead
 */
export function wrongWith(world: World, idsOf: ReadonlyMap<ActorName, readonly RunId[]>): string | undefined {
  const { account, runs } = world
  const wrong = once(account, wrongAccount)
  if (wrong) return wrong
  for (const run of Object.values(runs)) {
    const inRun = once(run, wrongRun)
    if (inRun) return inRun
  }
  const { credits } = account.state
  for (const [id, { refunded }] of Object.entries(credits)) {
    const state = runs[id as RunId]?.state
    const isOver = state && (state.status === 'closed' || (isAdmitted(state) && isEnded(state)))
    if (refunded > 0 && !isOver) return 'credits came back of a run that may still begin, or go on'
  }
  for (const ids of idsOf.values())
    if (ids.filter((id) => runs[id] && isAdmitted(runs[id].state)).length > 1)
      return 'two runs were admitted for one Idempotency-Key'
  for (const [name, ids] of idsOf) {
    const local = world[name] as Kickoff | undefined
    if (local?.at !== 'answered') continue
    const run = runs[local.run]
    if (!run || !isAdmitted(run.state)) return 'a run that was answered with 202 is not there'
    if (!credits[local.run]) return 'a run was admitted that nobody has paid for'
    if (!ids.includes(local.run)) return 'a kickoff was answered with the run of another key'
  }
  return undefined
}

/** What is wrong with a world in which all work is done. */
export function wrongAtRest({ account, runs }: World): string | undefined {
  for (const [id, { charged, refunded }] of Object.entries(account.state.credits)) {
    const state = runs[id as RunId]?.state
    if (state && isLeased(state)) continue
    const isSuccess = state?.status === 'succeeded'
    const cost = isSuccess ? state.charged - state.refunded : 0
    if (charged - refunded !== cost)
      return `a run that ${state?.status ?? 'never was'} has cost ${charged - refunded} credits, not ${cost}`
  }
  return undefined
}
