/**
 * `gleaner record --refresh`: records cassettes again and shows what changed.
 *
 * @module
 */
import { loadCatalogue, PLUGINS } from '../../src/catalogue/catalogue.ts'
import { columns, count } from '../../src/cli/columns.ts'
import { CommandFailed, UsageError } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { readConfig } from '../../src/config.ts'
import { paceSettingsOf } from '../../src/net/pace.ts'
import { RateLimiter } from '../../src/net/rate-limiter.ts'
import { endBrowser } from '../../src/plugin/testing/page.ts'
import { ageInDays } from '../../src/recording/cassette.ts'
import { cassettesOf } from '../../src/recording/files.ts'
import type { RecordOptions } from '../dry-run/command-line.ts'
import { printable } from '../dry-run/table.ts'
import type { AnswerChange } from '../shape/answers.ts'
import { wordsOf } from '../shape/words.ts'
import { linesOf } from './items.ts'
import { type RefreshResult, refreshCassette } from './refresh-cassette.ts'
import { selectCassettes, shortPath } from './selection.ts'

/** The options of `record` that belong to `--refresh`. */
export type RefreshOptions = {
  readonly refresh?: true
  readonly all?: true
  readonly dryRun?: true
}

/** A call of `record --refresh`. */
export type RefreshArguments = {
  /** a file, source or pattern; undefined with `--all` */
  readonly words: string | undefined
  readonly input: string | undefined
  readonly options: RefreshOptions & RecordOptions
}

/**
 * Refreshes cassettes, one after another.
 *
 * @throws {UsageError} for other arguments, or when they name nothing
 * @throws {CommandFailed} when a cassette was kept
 */
export async function runRefresh(io: Io, { words, input, options: flags }: RefreshArguments): Promise<void> {
  checkArguments({ words, input, options: flags })
  const config = readConfig(io.env)
  const catalogue = await loadCatalogue({ folders: [PLUGINS], config })
  const { cassettes, isNamed } =
    words === undefined
      ? { cassettes: cassettesOf(catalogue.tasks), isNamed: false }
      : selectCassettes(catalogue, words)
  const rateLimiter = new RateLimiter(undefined, paceSettingsOf(config))
  const options = {
    io,
    config,
    rateLimiter,
    isNamed,
    force: flags.force ?? false,
    isDryRun: flags.dryRun ?? false,
  }
  const all: RefreshResult[] = []
  try {
    for (const one of cassettes) {
      if (io.signal.aborted) break
      io.err(`\n${shortPath(one.file)}: ${one.task.key} ${JSON.stringify(one.cassette.input)}\n`)
      const result = await refreshCassette(one, options)
      io.out(reportOf(result, options.isDryRun))
      all.push(result)
    }
  } finally {
    await endBrowser()
  }
  if (cassettes.length !== 1) io.out(tableOf(all, io.now()))
  if (io.signal.aborted)
    throw new CommandFailed(`stopped: ${count(cassettes.length - all.length, 'cassette')} left`)
  if (all.some(({ result }) => result === 'kept')) throw new CommandFailed()
}

function checkArguments({ words, input, options }: RefreshArguments): void {
  if (!options.refresh) {
    const [other] = (['all', 'dryRun'] as const).filter((name) => options[name])
    if (other) throw new UsageError(`--${other === 'all' ? 'all' : 'dry-run'} belongs to --refresh`)
    throw new UsageError('name a task, or refresh cassettes with --refresh')
  }
  if ((words === undefined) === (options.all === undefined))
    throw new UsageError('--refresh takes a source, a pattern of tasks, or a file; or --all for all of them')
  const others = [
    ...(input === undefined ? [] : ['an input']),
    ...(['to', 'json', 'files'] as const).flatMap((name) =>
      options[name] === undefined ? [] : [`--${name}`],
    ),
  ]
  if (others.length > 0) throw new UsageError(`--refresh does not go with ${others.join(' or ')}`)
}

const MOST_CHANGES = 20

/** What became of a file, and what would become of it without a dry run. */
const ENDS = {
  same: ['the same: dated today', 'the same: would be dated today'],
  changed: ['replaced: see the changes', 'would be replaced: see the changes'],
} as const

/** What became of a cassette and what changed, as indented lines below its name. */
function reportOf({ one, result, why, items, answers }: RefreshResult, isDryRun: boolean): string {
  const end =
    why === null ? ENDS[result === 'same' ? 'same' : 'changed'][isDryRun ? 1 : 0] : `${result}: ${why}`
  const lines = [...(items ? linesOf(items) : []), ...answers.flatMap(answerLines), end]
  return `${shortPath(one.file)}\n${lines.map((line) => `  ${printable(line)}\n`).join('')}`
}

function answerLines({ address, was, now, changes }: AnswerChange): string[] {
  const more = changes.length - MOST_CHANGES
  if (now.length === 0) return [`${address}: no longer requested`]
  if (was.length === 0) return [`${address}: requested for the first time, answers ${now.join(', ')}`]
  return [
    was.join() === now.join() ? address : `${address}: answers ${now.join(', ')}, was ${was.join(', ')}`,
    ...changes.slice(0, MOST_CHANGES).map((change) => `  ${wordsOf(change)}`),
    ...(more > 0 ? [`  and ${count(more, 'more change')}`] : []),
  ]
}

function tableOf(all: readonly RefreshResult[], now: number): string {
  const rows = all.map(({ one, result, why, items }) => [
    shortPath(one.file),
    ageInDays(one.cassette, now)?.toString() ?? '-',
    items ? String(items.was) : '-',
    items ? String(items.now) : '-',
    why === null ? result : `${result}: ${cut(printable(why))}`,
  ])
  return `\n${columns([['CASSETTE', 'DAYS OLD', 'ITEMS', 'NOW', 'RESULT'], ...rows])}`
}

/** The table has the beginning of a reason; the report above it has all. */
const cut = (text: string): string => (text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text)
