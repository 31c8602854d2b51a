/**
 * The invariants of the canary: its runs are free of charge, and no input is tried twice.
 *
 * @module
 */
import type { Weather, Written } from './judge.ts'

/** The account whose runs try the tasks. */
const CANARY = 'acc_w40fqkg0hg2erg33fbraz4fv5w'
const CREDITS = ['CreditsGranted', 'CreditsCharged', 'CreditsRefunded']

/** The violations, each as a sentence. */
export function judgeCanary(log: readonly Written[], weather: Weather): string[] {
  const own = log.filter(({ account }) => account === CANARY)
  return [
    ...own.filter(({ type }) => CREDITS.includes(type)).map(({ type }) => `the account canary has ${type}`),
    // With clocks of several days an input is tried on each.
    ...(weather === 'calm' ? triesOnce(own) : []),
  ]
}

/** Whatever nodes there are, an input is tried once. A simulation is shorter than the time to a repeat. */
function triesOnce(own: readonly Written[]): string[] {
  const requests = own.filter(({ type }) => type === 'RunRequested')
  return [...Map.groupBy(requests, ({ data }) => data.fingerprint)]
    .filter(([, runs]) => runs.length > 1)
    .map(([, runs]) => `the canary tried ${runs[0]?.data.task_key} ${runs.length} times with one input`)
}
