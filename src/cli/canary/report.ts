/**
 * What `gleaner canary` prints: a table for people, and JSON.
 *
 * @module
 */
import type { CatalogueTask } from '../../catalogue/catalogue.ts'
import type { Drift } from '../../domain/health/drift.ts'
import type { Finding, Tried } from '../../health/canary/all.ts'
import { itemsOf } from '../../health/canary/judge.ts'
import { OBSTACLES } from '../../health/canary/obstacles.ts'
import type { End } from '../../health/canary/runs.ts'
import { titleOf } from '../../health/canary/start.ts'
import { percent } from '../../health/words.ts'
import { columns, count } from '../columns.ts'

const HEAD = ['TASK', 'INPUT', 'END', 'ITEMS', 'FILL', 'TIME']
/** So many lost fields are named; JSON has all. */
const MOST_FIELDS = 3
/** Longer titles are cut, in characters. */
const LONGEST_TITLE = 40

/** The result of some tasks has no items. */
const hasItems = ({ columns }: Pick<CatalogueTask, 'columns'>): boolean => columns.length > 0

const nameOf = ({ run }: End): string => run.code ?? run.status

/** `succeeded, 5 items` or the error code. */
export function endText(task: CatalogueTask, end: End): string {
  const items = hasItems(task) ? `, ${count(itemsOf(end.run), 'item')}` : ''
  return end.run.code === null ? `${end.run.status}${items}` : nameOf(end)
}

export const secondsText = ({ ms }: End): string => (ms === null ? '–' : `${(ms / 1000).toFixed(1)} s`)

function driftText(drift: readonly Drift[]): string {
  const named = drift.slice(0, MOST_FIELDS)
  const words = named.map(({ field, was, now }) => `${field} ${percent(was)} → ${percent(now)}`).join(', ')
  return drift.length > named.length ? `${words}, and ${drift.length - named.length} more` : words
}

/** One line for each input, then the tasks that were not tried, then what is wrong. */
export function tableOf(findings: readonly Finding[]): string {
  const rows = findings.flatMap((finding) => finding.tried.map((tried) => rowOf(finding, tried)))
  const table = rows.length > 0 ? columns([HEAD, ...rows]) : ''
  const lines = findings.flatMap(({ task: { key }, tried, obstacle, isBroken, drift }) => [
    ...(obstacle ? [`${key}: not tried: ${OBSTACLES[obstacle]}`] : []),
    ...(isBroken ? [`${key} is broken: ${reasonsOf(tried)}, also when repeated`] : []),
    ...(drift.length > 0 ? [`${key} drifts: ${driftText(drift)}`] : []),
  ])
  if (findings.some(isLowAlone)) lines.push(LOW_ALONE)
  const verdict = lines.map((line) => `${line}\n`).join('')
  return table && verdict ? `${table}\n${verdict}` : table + verdict
}

/** Whether a run fills fields less than usual, though none is known to be lost. */
const isLowAlone = ({ tried, drift }: Finding): boolean =>
  tried.some(({ below }) => below?.some(({ field }) => !drift.some((lost) => lost.field === field)) === true)

const LOW_ALONE =
  'A field that is filled less than usual is not known to be lost: what is usual comes from other inputs, for a new task from its recordings. A field counts as lost when the last 20 runs show it, or earlier runs of the same inputs.'

/** How the repeated runs ended again. */
const reasonsOf = (tried: Finding['tried']): string =>
  [
    ...new Set(
      tried.filter(({ isBad, isRepeat }) => isBad && isRepeat).map(({ end }) => end.run.code ?? 'no items'),
    ),
  ].join(' and ')

function rowOf({ task }: Finding, tried: Finding['tried'][number]): string[] {
  const { probe, end, isBad, isRepeat } = tried
  const mark = isBad ? ' (bad)' : ''
  return [
    task.key,
    cut(titleOf(probe)),
    `${nameOf(end)}${isRepeat ? ', repeated' : ''}${mark}`,
    hasItems(task) ? String(itemsOf(end.run)) : '–',
    fillText(tried),
    secondsText(end),
  ]
}

const cut = (title: string): string =>
  [...title].length > LONGEST_TITLE ? `${[...title].slice(0, LONGEST_TITLE - 1).join('')}…` : title

function fillText({ end, below }: Finding['tried'][number]): string {
  if (!end.fill || end.fill.items === 0) return '–'
  if (below === null) return 'no baseline'
  return below.length === 0 ? 'as usual' : driftText(below)
}

/** The same for programs. Shares are from 0 to 1. */
export const jsonOf = (findings: readonly Finding[]): object => ({
  tasks: findings.map(({ task, tried, obstacle, isBroken, drift }) => ({
    task_key: task.key,
    not_tried: obstacle ? OBSTACLES[obstacle] : null,
    broken: isBroken,
    drift,
    runs: tried.map((each) => ({ ...runOf(each), below: each.below })),
  })),
})

const runOf = ({ probe, end, isBad, isRepeat }: Tried) => ({
  run_id: end.run.runId,
  input: probe.input,
  title: titleOf(probe),
  end: nameOf(end),
  items: itemsOf(end.run),
  ms: end.ms,
  repeated: isRepeat,
  bad: isBad,
})
