/**
 * A page's answer: what its instructions say of a list, and where the list goes on.
 *
 * @module
 */
import { at, entriesAt, listAt, textOrNull } from 'gleaner/plugin'

/** What a list is made of. */
export type Kind<Row> = {
  /**
   * Reads the content of an entry.
   *
   * @returns null for one that can't be seen, undefined for what is of another kind
   */
  readonly read: (content: unknown) => Row | null | undefined
  readonly key: (row: Row) => string
  /** how a page shows them, where that is known; `read` gives null for a cell that is not one, or has no id */
  readonly rendered?: { readonly selector: string; readonly read: (cell: Element) => Row | null }
  /** for progress: what the rows are called */
  readonly noun: string
}

export type Answer<Row> = {
  readonly rows: readonly Row[]
  /** how many further entries of the kind are there that can't be seen */
  readonly unseen: number
  /** the position of the next page; the site gives one at the end too */
  readonly bottom: string | null
  /** the position of what is newer */
  readonly top: string | null
  /** the site says that nothing follows */
  readonly isLast: boolean
  /** what the site says to the visitor in place of entries */
  readonly prompt: string | null
}

/** The timeline in an answer; undefined where it has none. @param json of a search, or of a home timeline */
export const timelineIn = (json: unknown): unknown =>
  at(json, 'data', 'search_by_raw_query', 'search_timeline', 'timeline') ??
  at(json, 'data', 'home', 'home_timeline_urt')

/** What is not of the list: adverts, suggestions, news, the people that the Top tab shows beside its posts. */
const BESIDE = /^(?:promoted-|who-to-follow-|stories-|messageprompt-|toptabsrpusermodule-)/

/**
 * Reads an answer.
 *
 * @throws {SourceChanged} when it has no instructions, or an entry of the kind is invalid
 */
export function answerOf<Row>(json: unknown, { read }: Kind<Row>): Answer<Row> {
  const instructions = listAt(timelineIn(json), 'instructions')
  const entries = instructions.flatMap(entriesIn)
  const found = entries.flatMap(contentsOf).map(read)
  return {
    rows: found.filter((row) => row !== null && row !== undefined),
    unseen: found.filter((row) => row === null).length,
    bottom: cursorIn(entries, 'Bottom'),
    top: cursorIn(entries, 'Top'),
    isLast: instructions.some(
      (one) =>
        at(one, 'type') === 'TimelineTerminateTimeline' &&
        ['Bottom', 'TopAndBottom'].includes(String(at(one, 'direction'))),
    ),
    prompt: promptIn(entries),
  }
}

/** The entries that an instruction brings, those that are added to a module included. */
function entriesIn(instruction: unknown): readonly unknown[] {
  const one = at(instruction, 'entry')
  return [
    ...entriesAt(instruction, 'entries'),
    ...(one === undefined ? [] : [one]),
    ...entriesAt(instruction, 'moduleItems'),
  ]
}

/** What an entry shows of the list: one thing, or those of a module. */
function contentsOf(entry: unknown): readonly unknown[] {
  if (isBeside(entry)) return []
  const parts = [entry, ...entriesAt(entry, 'content', 'items')].filter((part) => !isBeside(part))
  return parts
    .map((part) => at(part, 'content', 'itemContent') ?? at(part, 'item', 'itemContent'))
    .filter((content) => content !== undefined && at(content, 'promotedMetadata') === undefined)
}

function isBeside(entry: unknown): boolean {
  const id = textOrNull(at(entry, 'entryId')) ?? ''
  return BESIDE.test(id) || id.includes('-promoted-tweet-')
}

/** A cursor stands in the content of its entry, or, in modules and in older answers, in what that shows. */
function cursorIn(entries: readonly unknown[], type: string): string | null {
  const contents = entries.flatMap((entry) => [at(entry, 'content'), at(entry, 'content', 'itemContent')])
  const found = contents.findLast((content) => at(content, 'cursorType') === type)
  return textOrNull(at(found, 'value'))
}

function promptIn(entries: readonly unknown[]): string | null {
  const prompt = entries.find((entry) => /^messageprompt-/.test(String(at(entry, 'entryId'))))
  if (prompt === undefined) return null
  const words = at(prompt, 'content', 'itemContent', 'content')
  return textOrNull(at(words, 'bodyText')) ?? textOrNull(at(words, 'headerText')) ?? 'a prompt of the site'
}
