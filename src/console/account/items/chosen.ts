/**
 * The columns that a reader picked for the tasks used last, in a cookie.
 *
 * @module
 */
import { cookiesIn, newCookie } from '../../../page/cookie.ts'

const COOKIE = 'gleaner_columns'
const MOST_TASKS = 8
/** Browsers send cookies with every request. */
const MOST_BYTES = 2000
const YEAR_S = 365 * 86_400

/** The columns of tasks, the latest first. */
type Chosen = readonly (readonly [task: string, columns: readonly string[]])[]

function read(request: Request): Chosen {
  try {
    const value: unknown = JSON.parse(decodeURIComponent(cookiesIn(request, COOKIE)[0] ?? ''))
    return Array.isArray(value) ? value.filter(isChoice).slice(0, MOST_TASKS) : []
  } catch {
    return []
  }
}

const isChoice = (entry: unknown): entry is Chosen[number] =>
  Array.isArray(entry) &&
  typeof entry[0] === 'string' &&
  Array.isArray(entry[1]) &&
  entry[1].every((name) => typeof name === 'string')

/** The columns that the reader picked for a task. */
export const chosenColumns = (request: Request, task: string): readonly string[] =>
  read(request).find(([each]) => each === task)?.[1] ?? []

/**
 * The cookie with a new choice. Choices that do not fit are forgotten, the oldest first.
 *
 * @param columns empty: the choice for the task is forgotten
 */
export function choiceCookie(
  request: Request,
  publicUrl: string,
  task: string,
  columns: readonly string[],
): string {
  const others = read(request).filter(([each]) => each !== task)
  const isKept = columns.length > 0 && textOf([[task, columns]]).length <= MOST_BYTES
  const all: Chosen = isKept ? [[task, columns], ...others] : others
  let kept = all.slice(0, MOST_TASKS)
  while (textOf(kept).length > MOST_BYTES) kept = kept.slice(0, -1)
  return newCookie(
    COOKIE,
    kept.length === 0 ? '' : textOf(kept),
    '/',
    kept.length === 0 ? 0 : YEAR_S,
    publicUrl,
  )
}

const textOf = (chosen: Chosen): string => encodeURIComponent(JSON.stringify(chosen))
