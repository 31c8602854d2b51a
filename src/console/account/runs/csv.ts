/**
 * The list of runs as CSV: all that match, streamed.
 *
 * @module
 */
import type { RunRow } from '../../../../projections/runs.ts'
import { isEnded } from '../../../domain/run.ts'
import { pieces } from '../../../http/answers.ts'
import { BOM } from '../../../http/routes/downloads.ts'
import { csvRow } from '../../../plugin/csv-row.ts'
import type { AccountVisitor } from '../../visitor.ts'
import { starterNames } from '../starters.ts'
import type { RunSource } from './read.ts'
import { creditsOf, taskTitle } from './words.ts'

const COLUMNS = [
  'run_id',
  'task_key',
  'task',
  'title',
  'state',
  'error',
  'started_by',
  'created_at',
  'started_at',
  'finished_at',
  'items',
  'credits',
]
/** Runs per read. */
const CHUNK = 200

/** Answers with runs, newest first. @param matches returns those of some runs that are wanted; all by default */
export function runCsv(
  visitor: AccountVisitor,
  source: RunSource,
  matches: ((rows: readonly RunRow[]) => Promise<readonly RunRow[]>) | undefined,
): Promise<Response> {
  const { deps, call } = visitor
  async function* lines(): AsyncGenerator<string> {
    yield BOM + csvRow(COLUMNS)
    for (let after: number | undefined; ; ) {
      const rows = await source.read('descending', after, CHUNK)
      yield (await cellsOf(visitor, matches ? await matches(rows) : rows)).map((row) => csvRow(row)).join('')
      after = rows.at(-1)?.created
      if (rows.length < CHUNK) return
    }
  }
  const options = {
    contentType: 'text/csv; charset=utf-8; header=present',
    headers: { 'content-disposition': 'attachment; filename="runs.csv"' },
    broken: 'A list of runs broke off. Its reader has an incomplete file.',
  }
  return call.time.except(pieces(deps, call, lines(), options))
}

async function cellsOf(visitor: AccountVisitor, rows: readonly RunRow[]) {
  const { deps, call } = visitor
  const all = rows.map(({ run }) => run)
  const titles = await call.time.except(deps.titles.ofMany(all))
  const names = await starterNames(
    deps,
    all.map(({ startedBy }) => startedBy),
  )
  return all.map((run) => [
    run.runId,
    run.taskKey,
    taskTitle(deps, run.taskKey),
    titles.get(run.runId) ?? null,
    run.status,
    isEnded(run) ? run.code : null,
    names.get(run.startedBy) ?? null,
    run.createdAt,
    run.startedAt,
    isEnded(run) ? run.finishedAt : null,
    run.result?.item_count ?? null,
    creditsOf(run),
  ])
}
