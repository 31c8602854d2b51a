/**
 * All probes of some tasks at once, for a person who waits: `gleaner canary`.
 *
 * @module
 */
import pLimit from 'p-limit'
import { type HealthRow, health } from '../../../projections/health.ts'
import { clearTimeout, setTimeout } from '../../async/timers.ts'
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import type { Drift } from '../../domain/health/drift.ts'
import type { RunId } from '../../domain/ids.ts'
import type { RunFill } from '../../domain/run-events.ts'
import { Refused } from '../../log/refused.ts'
import type { WaitUntilProjected } from '../../read/wait-until-projected.ts'
import type { Admit } from '../../runs/admit.ts'
import type { RunCommands } from '../../runs/commands.ts'
import { baselineOf, type HealthReads, type Shares, type Standing, standingsOf } from '../standings.ts'
import { below, lost } from './fill.ts'
import { isBad } from './judge.ts'
import { type Obstacle, type ObstacleDeps, obstaclesOf } from './obstacles.ts'
import { dayOf, type Probe, probesOf } from './probes.ts'
import { type End, endOf, type RunsDeps } from './runs.ts'
import { type StartDeps, startProbe } from './start.ts'

export type AllDeps = ObstacleDeps &
  StartDeps &
  RunsDeps &
  HealthReads & {
    readonly admit: Pick<Admit, 'find'>
    readonly commands: Pick<RunCommands, 'handle'>
    readonly waitUntilProjected: WaitUntilProjected
  }

/** A probe that was tried. */
export type Tried = {
  readonly probe: Probe
  readonly end: End
  readonly isBad: boolean
  /** whether it is the repeat of a bad run */
  readonly isRepeat: boolean
}

/** What was learned of a task. */
export type Finding = {
  readonly task: CatalogueTask
  /** the last run of each probe */
  readonly tried: readonly (Tried & {
    /** the fields that are filled in at most half of the usual share of its items; null: nothing to compare with */
    readonly below: readonly Drift[] | null
  })[]
  /** why the task was not tried; undefined when it was */
  readonly obstacle: Obstacle | undefined
  /** the run of one input at least was bad, and its repeat too */
  readonly isBroken: boolean
  /** the fields that lost their values, in these runs or in the last runs of all accounts */
  readonly drift: readonly Drift[]
}

/** How many tasks are tried at once; the probes of a task run one after the other. */
const TASKS_AT_ONCE = 6
/** How long the cancelled runs may take to end, in milliseconds. */
const CANCELLED_MS = 8000
/** How long the read model of health may take to catch up, in milliseconds. */
const PROJECTED_MS = 5000

/**
 * Tries tasks with all their probes, and repeats the bad ones once, after all others.
 *
 * @param signal cancels the runs under way; what has ended by then is returned
 * @param onTried called as each run ends
 * @throws {StoreUnavailable}
 */
export async function tryAll(
  deps: AllDeps,
  tasks: readonly CatalogueTask[],
  { signal, onTried }: { readonly signal: AbortSignal; readonly onTried: (tried: Tried) => void },
): Promise<readonly Finding[]> {
  const obstacles = await obstaclesOf(deps, tasks)
  const before = new Map((await standingsOf(deps, tasks)).map(({ task, row }) => [task, row]))
  const limit = pLimit(TASKS_AT_ONCE)
  const last = new Map<Probe, Tried>()
  const tryThese = (probes: readonly Probe[], isRepeat: boolean) =>
    Promise.all(
      Map.groupBy(probes, ({ task }) => task)
        .values()
        .map((ofTask) =>
          limit(async () => {
            for (const probe of ofTask) {
              const tried = await tryOne(deps, probe, isRepeat, signal)
              if (!tried) continue
              last.set(probe, tried)
              onTried(tried)
            }
          }),
        ),
    )
  await tryThese(tasks.filter(({ key }) => !obstacles.has(key)).flatMap(probesOf), false)
  const bad = [...last.values()].filter((tried) => tried.isBad).map(({ probe }) => probe)
  await tryThese(bad, true)
  await deps.waitUntilProjected(health, PROJECTED_MS)
  const standings = await standingsOf(deps, tasks)
  return standings.map((standing) =>
    findingOf(
      standing,
      before.get(standing.task),
      [...last.values()].filter(({ probe }) => probe.task === standing.task),
      obstacles.get(standing.task.key),
    ),
  )
}

/** @returns undefined when it could not be started, or the signal aborted before its end */
async function tryOne(
  deps: AllDeps,
  probe: Probe,
  isRepeat: boolean,
  signal: AbortSignal,
): Promise<Tried | undefined> {
  if (signal.aborted) return undefined
  const admission = await startProbe(deps, probe, undefined)
  if (admission?.kind !== 'admitted') return undefined
  const { runId } = admission.run
  const end = (await endOf(deps, runId, signal)) ?? (await cancelled(deps, runId))
  if (!end) return undefined
  return { probe, end, isRepeat, isBad: await isBad(deps.admit, end.run, probe, dayOf(deps.now())) }
}

async function cancelled(deps: AllDeps, runId: RunId): Promise<End | undefined> {
  try {
    await deps.commands.handle(
      runId,
      { type: 'cancel', keyId: null },
      { actor: 'service', causationId: 'canary', now: deps.now() },
    )
  } catch (error) {
    // It has ended in the meantime.
    if (!(error instanceof Refused)) throw error
  }
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), CANCELLED_MS)
  return endOf(deps, runId, late.signal).finally(() => clearTimeout(timer))
}

/** @param before the row of the task before these runs */
function findingOf(
  { task, row, drift }: Standing,
  before: HealthRow | undefined,
  tried: readonly Tried[],
  obstacle: Obstacle | undefined,
): Finding {
  const usual = baselineOf(row, task)
  const fills = tried.flatMap(({ end }) => end.fill ?? [])
  const known = drift.map(({ field }) => field)
  const lostNow = lost(task, before, fills).filter(({ field }) => !known.includes(field))
  return {
    task,
    tried: tried.map((each) => ({ ...each, below: belowOf(task, each.end.fill, usual) })),
    obstacle,
    isBroken: tried.some(({ isBad, isRepeat }) => isBad && isRepeat),
    drift: [...drift, ...lostNow],
  }
}

const belowOf = (task: CatalogueTask, fill: RunFill | null, usual: Shares | null) =>
  usual && fill && fill.items > 0 ? below(task.fields, fill, usual) : null
