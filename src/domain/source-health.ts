/**
 * A source's stream: what was announced of the health of its tasks, and where its captures are.
 *
 * @module
 */
import type { Decider } from './decider.ts'
import type { DomainEvent, EventData, Metadata } from './events.ts'
import type { Drift } from './health/drift.ts'
import type { Health } from './health/standing.ts'
import type { RunId } from './ids.ts'
import type { SOURCE_EVENTS } from './source-events.ts'

/** The last announcement of a task's health. Times are milliseconds since 1970. */
type Announcement = {
  /** `unknown` before the first announcement: the task then counts as healthy */
  readonly health: Health
  /** null before the first announcement */
  readonly at: number | null
  /** the fields that drifted */
  readonly fields: readonly string[]
  /** when it last ceased to be in a state */
  readonly left: { readonly [state in Health]?: number }
}

/** The ring of a task's captures. */
type Captures = {
  /** of the latest one */
  readonly slot: number
  /** whose captures are kept, oldest first */
  readonly runs: readonly RunId[]
}

/** Both by task key. */
export type SourceState = {
  readonly announced: { readonly [taskKey: string]: Announcement }
  readonly captures: { readonly [taskKey: string]: Captures }
}

export type SourceEvent = DomainEvent<keyof typeof SOURCE_EVENTS>

export type SourceCommand =
  /** Announces a task's health if it changed. */
  | {
      readonly type: 'judge'
      readonly taskKey: string
      readonly health: Health
      readonly drift: readonly Drift[]
      /** milliseconds since 1970 */
      readonly now: number
    }
  /** Gives a capture its slot. A repeat for a run whose capture is kept has no effect. */
  | { readonly type: 'capture'; readonly capture: Omit<EventData<'CaptureStored'>, 'slot'> }
type Judge = Extract<SourceCommand, { type: 'judge' }>

/** How many captures of a task are kept. */
export const MOST_CAPTURES = 10
/** A task does not return to a state so soon after it left it. Further fields are announced at most so often. */
export const SETTLED_MS = 3_600_000

const NEVER: Announcement = { health: 'unknown', at: null, fields: [], left: {} }

/** What was announced of a task last. */
const announcedOf = ({ announced }: SourceState, taskKey: string): Announcement => announced[taskKey] ?? NEVER

/** No command is refused. */
export const sourceDecider: Decider<SourceCommand, SourceState, SourceEvent, never> = {
  initial: { announced: {}, captures: {} },
  evolve,
  decide: (command, state) => (command.type === 'judge' ? judged(command, state) : captured(command, state)),
}

function evolve(state: SourceState, event: DomainEvent, meta: Metadata): SourceState {
  if (event.type === 'TaskHealthChanged') {
    const { task_key, from, to, drift } = event.data
    const at = Date.parse(meta.at)
    const { left } = announcedOf(state, task_key)
    const now: Announcement = {
      health: to,
      at,
      fields: drift.map(({ field }) => field),
      left: from === to ? left : { ...left, [from === 'unknown' ? 'healthy' : from]: at },
    }
    return { ...state, announced: { ...state.announced, [task_key]: now } }
  }
  if (event.type === 'CaptureStored') {
    const { task_key, slot, run_id } = event.data
    const runs = [...(state.captures[task_key]?.runs ?? []).slice(1 - MOST_CAPTURES), run_id]
    return { ...state, captures: { ...state.captures, [task_key]: { slot, runs } } }
  }
  return state
}

function judged(command: Judge, state: SourceState): SourceEvent[] {
  const { taskKey, health, drift, now } = command
  const before = announcedOf(state, taskKey)
  if (health === 'unknown' || !isNews(command, before) || isRecent(before.left[health], now)) return []
  const data = { task_key: taskKey, from: before.health, to: health, drift: [...drift] }
  return [{ type: 'TaskHealthChanged', data }]
}

function isNews({ health, drift, now }: Judge, before: Announcement): boolean {
  if (health !== before.health) return before.health !== 'unknown' || health !== 'healthy'
  const hasFurther = drift.some(({ field }) => !before.fields.includes(field))
  return health === 'drifting' && hasFurther && !isRecent(before.at, now)
}

/** Whether a time is near. One from a clock that was far ahead is not, or the task would be silent until then. */
const isRecent = (at: number | null | undefined, now: number): boolean =>
  at !== null && at !== undefined && Math.abs(now - at) < SETTLED_MS

function captured(
  { capture }: Extract<SourceCommand, { type: 'capture' }>,
  { captures }: SourceState,
): SourceEvent[] {
  const { slot, runs } = captures[capture.task_key] ?? { slot: -1, runs: [] }
  if (runs.includes(capture.run_id)) return []
  return [{ type: 'CaptureStored', data: { ...capture, slot: (slot + 1) % MOST_CAPTURES } }]
}
