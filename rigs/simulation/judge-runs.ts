/**
 * The invariants of runs that share processes of plugins: each run does what its input says, whatever the others in its
 * process do.
 *
 * @module
 */
import type { Kickoff, Tenant } from './clients.ts'
import type { Weather, Written } from './judge.ts'
import type { Executed } from './plugin-process.ts'
import type { Script } from './plugin-run.ts'

/** How a run ends without faults, with the code of its end. */
const EXPECTED: Readonly<Record<NonNullable<Script['end']>, readonly [type: string, code: string | null]>> = {
  succeeds: ['RunSucceeded', null],
  fails: ['RunFailed', 'not-found'],
  refused: ['RunFailed', 'source-blocked'],
  'cut off': ['RunFailed', 'source-unavailable'],
  defect: ['RunErrored', 'defect'],
  hangs: ['RunExpired', 'run-limit'],
  ignores: ['RunExpired', 'run-limit'],
  breaks: ['RunErrored', 'defect'],
  exits: ['RunErrored', 'defect'],
  bursts: ['RunErrored', 'out-of-memory'],
}
/** The ends of runs that try other exits first. */
const AT_EACH_EXIT: ReadonlySet<Script['end']> = new Set(['refused', 'cut off'])
/** How much longer than its input says an execution may take, in milliseconds. */
const SLACK_MS = 2000

type Evidence = { readonly events: readonly Written[]; readonly executed: readonly Executed[] }

/** The violations, each as a sentence. */
export function judgeRuns(
  log: readonly Written[],
  tenants: readonly Tenant[],
  executed: readonly Executed[],
  weather: Weather,
): string[] {
  const streams = Map.groupBy(log, ({ stream }) => stream)
  const executions = Map.groupBy(executed, ({ run }) => run)
  const processes = Map.groupBy(executed, processOf)
  const evidenceOf = (run: string): Evidence => ({
    events: streams.get(`run-${run}`) ?? [],
    executed: executions.get(run) ?? [],
  })
  const charges = Map.groupBy(
    log.filter(({ type }) => type === 'CreditsCharged'),
    ({ data }) => data.run_id as string,
  )
  return [
    ...[...executions.keys()].flatMap((run) => [
      ...isAgainAlone(run, evidenceOf(run), processes),
      ...(weather === 'calm' || weather === 'mild' ? attemptsAreKept(run, evidenceOf(run)) : []),
    ]),
    ...tenants.flatMap(({ kickoffs }) =>
      kickoffs.flatMap((kickoff) => {
        const { run, script } = kickoff
        if (run === undefined) return []
        return [
          ...hasItsItems(run, script, evidenceOf(run)),
          ...paysForItsBlocks(run, script, charges.get(run) ?? []),
          ...changesItsExit(run, script, evidenceOf(run), charges.get(run) ?? []),
          ...(weather === 'calm' ? endsAsItShould(kickoff, evidenceOf(run)) : []),
        ]
      }),
    ),
  ]
}

const processOf = ({ life, process }: Executed): string => `${life} ${process}`

/** A run whose process died with others, or after others, is executed again alone in the same attempt. */
function isAgainAlone(
  run: string,
  { events, executed }: Evidence,
  processes: ReadonlyMap<string, readonly Executed[]>,
): string[] {
  return executed.flatMap(({ life, death }, i) => {
    if (!death || death.isAlone) return []
    const next = executed.slice(i + 1).find((one) => one.life === life)
    if (!next) return []
    const isClaimed = events.some(
      ({ type, written }) => type === 'RunStarted' && written > death.at && written <= next.begun,
    )
    const others = (processes.get(processOf(next))?.length ?? 1) - 1
    return isClaimed || others === 0
      ? []
      : [`${run} was executed again in a process of ${others} others after its process had died`]
  })
}

/** The death of a shared process never uses up an attempt: only the loss of a process of its own does. */
function attemptsAreKept(run: string, { events, executed }: Evidence): string[] {
  return events.flatMap(({ type, data }, i) => {
    const isUsedUp =
      (type === 'RunRequeued' && data.reason === 'worker-lost') ||
      (type === 'RunErrored' && data.code === 'worker-lost')
    if (!isUsedUp) return []
    const { written: until } = events[i] as Written
    const { written: since } = events.slice(0, i).findLast((event) => event.type === 'RunStarted') as Written
    const isLost = executed.some(
      ({ death }) => death?.isLost && death.isAlone && since <= death.at && death.at <= until,
    )
    return isLost ? [] : [`${run} used up an attempt, although it lost no process of its own`]
  })
}

/** A succeeded run has its own items, once. */
function hasItsItems(run: string, { items }: Script, { events }: Evidence): string[] {
  if (events.at(-1)?.type !== 'RunSucceeded') return []
  const count = events.findLast(({ type }) => type === 'ResultStored')?.data.item_count
  return count === items ? [] : [`${run} succeeded with ${count} items instead of ${items}`]
}

/** No run pays for a block that it did not ask for. */
function paysForItsBlocks(run: string, { blocks = 0 }: Script, charges: readonly Written[]): string[] {
  return charges
    .filter(({ data }) => data.block > blocks)
    .map(({ data }) => `${run} paid for block ${data.block}, but has only ${blocks}`)
}

/**
 * A run that no exit serves changes its exit one time after the other, at most twice over all attempts, and never after a
 * paid block.
 */
function changesItsExit(
  run: string,
  { end }: Script,
  { events }: Evidence,
  charges: readonly Written[],
): string[] {
  const paid = charges.find(({ data }) => data.block !== undefined)?.written ?? Number.POSITIVE_INFINITY
  const changes = events.filter(({ data }) => data.exit_changes !== undefined)
  // A write whose answer was lost is repeated within its attempt.
  const once = new Map(changes.map(({ data }) => [`${data.attempt} ${data.exit_changes}`, data.exit_changes]))
  const numbers = [...once.values()]
  const isInOrder = numbers.every((number, i) => number === i + 1)
  return [
    ...(isInOrder && numbers.length <= 2 ? [] : [`${run} changed its exit in the order ${numbers}`]),
    ...(changes.some(({ written }) => written > paid) ? [`${run} changed its exit after a paid block`] : []),
    ...(changes.length > 0 && !AT_EACH_EXIT.has(end) ? [`${run} changed its exit without a need`] : []),
  ]
}

/** Without faults a run ends as its input says, unless it was cancelled. */
function endsAsItShould({ run, script }: Kickoff, { events, executed }: Evidence): string[] {
  const types = events.map(({ type }) => type)
  if (types.length === 0 || types.includes('RunCancelRequested')) return []
  const end = events.at(-1) as Written
  const [type, code] = EXPECTED[script.end ?? 'succeeds']
  if (end.type === type && end.data.code === code) {
    const changes = events.filter(({ data }) => data.exit_changes !== undefined).length
    return AT_EACH_EXIT.has(script.end) && !script.blocks && changes !== 2
      ? [`without any fault, ${run} was tried at ${changes + 1} exits instead of 3`]
      : []
  }
  // A run that is executed again has no more time than it had before.
  const begun = executed.at(-1)?.begun ?? Number.POSITIVE_INFINITY
  if (end.type === 'RunExpired' && begun + script.ms + SLACK_MS > end.written) return []
  return [`without any fault, ${run} ended with ${end.type} ${end.data.code}: ${types}`]
}
