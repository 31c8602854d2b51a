/**
 * One cassette, recorded again: its task runs with the cassette's input, and the old and the new answers are compared.
 *
 * @module
 */
import { renameSync, writeFileSync } from 'node:fs'
import type { Io } from '../../src/cli/io.ts'
import type { Config } from '../../src/config.ts'
import type { RateLimiter } from '../../src/net/rate-limiter.ts'
import type { Cassette } from '../../src/plugin/testing.ts'
import { recordingOf } from '../../src/recording/cassette.ts'
import { worthKeeping } from '../../src/recording/exchange.ts'
import { formatJson } from '../../src/recording/format.ts'
import { type Outcome, performDryRun } from '../dry-run/command-line.ts'
import { type Replayed, replayed, timeOf } from '../repair/replay.ts'
import { type AnswerChange, compareAnswers } from '../shape/answers.ts'
import { compareItems, type ItemsChange, lostFields } from './items.ts'
import type { PluginCassette } from './selection.ts'

export type RefreshOptions = {
  readonly io: Io
  readonly config: Config
  readonly rateLimiter: RateLimiter
  /** whether the file itself was named: a cassette of a failure is refreshed too */
  readonly isNamed: boolean
  /** replaces a cassette although the new items lack what the old ones had */
  readonly force: boolean
  /** replaces no file */
  readonly isDryRun: boolean
}

/**
 * What became of a cassette: `same` and `changed` were replaced (not in a dry run). `kept` was not, because of what the
 * site answers today. `left out` was not tried.
 */
export type RefreshResult = {
  readonly one: PluginCassette
  readonly result: 'same' | 'changed' | 'kept' | 'left out'
  /** why it was kept or left out; null otherwise */
  readonly why: string | null
  /** null without new items */
  readonly items: ItemsChange | null
  readonly answers: readonly AnswerChange[]
}

/** Records a cassette again, and replaces its file unless the new one is worse. */
export async function refreshCassette(one: PluginCassette, options: RefreshOptions): Promise<RefreshResult> {
  const { task, cassette, file } = one
  const { io, config, rateLimiter, isDryRun } = options
  const at = io.now()
  const left = (result: 'kept' | 'left out', why: string): RefreshResult => ({
    one,
    result,
    why,
    items: null,
    answers: [],
  })
  if (needsLogin(one)) return left('left out', 'its run has a login, which only a service has')
  const old = await replayed(task, cassette, timeOf(cassette, at))
  if (old.code !== null && !options.isNamed)
    return left('left out', `its run ends as ${old.code}: name the file to refresh it`)
  const valid = task.validate(cassette.input, {}, at)
  if (!('canonical' in valid)) {
    const [issue] = valid
    return left('kept', `its input is no longer valid: ${issue?.pointer} ${issue?.detail}`)
  }
  const call = { task, config, text: valid.canonical }
  const outcome = await performDryRun(io, call, undefined, worthKeeping, rateLimiter)
  const failure = failureOf(outcome, old)
  if (failure !== null) return left('kept', failure)
  const fresh = { ...recordingOf({ task, input: cassette.input, exchanged: outcome.exchanged, at }).cassette }
  const again = await replayed(task, fresh, at)
  const items = compareItems(task, old.items, again.items)
  const answers = await compareAnswers(cassette.exchanges, fresh.exchanges)
  const why = options.force ? replayFault(again, old) : (replayFault(again, old) ?? lossOf(items, again, old))
  if (why !== null) return { one, result: 'kept', why, items, answers }
  if (!isDryRun) replace(file, withLogin(fresh, cassette))
  const isSame =
    answers.length === 0 && items.was === items.now && items.fields.length + items.values.length === 0
  return { one, result: isSame ? 'same' : 'changed', why: null, items, answers }
}

const needsLogin = ({ task, cassette: { signedIn } }: PluginCassette): boolean =>
  signedIn ?? task.declaration.needs?.login === true

/** Why a run gives no cassette that could take the old one's place; null when it does. */
function failureOf({ end, exchanged }: Outcome, old: Replayed): string | null {
  if (end.status === 'stopped') return 'the run was stopped'
  if (end.status === 'expired') return 'the run took too long'
  if (end.status === 'errored') return `${end.code}: ${end.reason.split('\n')[0]}`
  const code = end.status === 'failed' ? end.code : null
  if (code === old.code)
    return exchanged.some(({ status }) => status !== null) ? null : 'no request was answered'
  return end.status === 'failed'
    ? `${end.code}: ${end.detail}`
    : `the run succeeds today, and the cassette holds a run that ends as ${old.code}`
}

/** Why the new answers are no cassette of this run: replayed, they end differently. */
const replayFault = (again: Replayed, old: Replayed): string | null =>
  again.code === old.code ? null : `the new answers do not replay: ${again.code}: ${again.detail}`

/** What the new run lacks that the old one had; null when it lacks nothing. */
function lossOf(items: ItemsChange, again: Replayed, old: Replayed): string | null {
  if (items.was > 0 && items.now === 0) return 'the run has no items'
  if (old.route !== null && again.route !== old.route)
    return `the run took the route ${again.route}, and the cassette holds ${old.route}`
  return lostFields(items)[0] ?? null
}

const withLogin = (fresh: Cassette, { signedIn }: Cassette): Cassette => {
  const { task, input, note, exchanges } = fresh
  return {
    task,
    input,
    ...(note === undefined ? {} : { note }),
    ...(signedIn === undefined ? {} : { signedIn }),
    exchanges,
  }
}

/** Writes a file beside the old one, then takes its place, so that an interruption leaves one of them whole. */
function replace(file: string, cassette: Cassette): void {
  const next = `${file}.new`
  writeFileSync(next, formatJson(cassette))
  renameSync(next, file)
}
