/**
 * Reads a response that the page gets: the rows that its instructions contain, and the position of the next part.
 *
 * @module
 */
import { at, entriesAt, listAt, textOrNull } from 'gleaner/plugin'

/** A kind of list, with the reader of its rows. */
export type Kind<Row> = {
  /**
   * Reads the content of an entry.
   *
   * @returns null for a row that is not visible, undefined for content of another kind
   */
  readonly read: (content: unknown) => Row | null | undefined
  readonly key: (row: Row) => string
  /** the rows' cells on a page, if known; `read` returns null for a cell that is not a row or has no id */
  readonly rendered?: { readonly selector: string; readonly read: (cell: Element) => Row | null }
  /** the name of the rows in progress messages */
  readonly noun: string
}

export type Answer<Row> = {
  readonly rows: readonly Row[]
  /** the number of further entries of the kind, which are not visible */
  readonly unseen: number
  /** the position of the next page; the site sends one at the end too */
  readonly bottom: string | null
  /** the position of newer entries */
  readonly top: string | null
  /** whether the site says that nothing follows */
  readonly isLast: boolean
  /** the site's message to the visitor, which it sends instead of entries */
  readonly prompt: string | null
}

/** The timeline in the JSON of a search or a home timeline; undefined when there is none. */
export const timelineIn = (json: unknown): unknown =>
  at(json, 'data', 'search_by_raw_query', 'search_timeline', 'timeline') ??
  at(json, 'data', 'home', 'home_timeline_urt')

/** Entries that are not part of the list: adverts, suggestions, news, and the people on the Top tab. */
const BESIDE = /^(?:promoted-|who-to-follow-|stories-|messageprompt-|toptabsrpusermodule-)/

/**
 * Reads a response.
 *
 * @throws {SourceChanged} when the response has no instructions, or an entry of the kind is invalid
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

/** The entries of an instruction, including entries that it adds to a module. */
function entriesIn(instruction: unknown): readonly unknown[] {
  const one = at(instruction, 'entry')
  return [
    ...entriesAt(instruction, 'entries'),
    ...(one === undefined ? [] : [one]),
    ...entriesAt(instruction, 'moduleItems'),
  ]
}

/** The contents of an entry that belong to the list: a single content, or the contents of a module. */
function contentsOf(entry: unknown): readonly unknown[] {
  if (isBeside(entry)) return []
  const parts = [entry, ...entriesAt(entry, 'content', 'items')].filter((part) => !isBeside(part))
  return parts
    .map((part) => at(part, 'content', 'itemContent') ?? at(part, 'item', 'itemContent'))
    .filter((content) => content !== undefined && !at(content, 'promotedMetadata'))
}

function isBeside(entry: unknown): boolean {
  const id = textOrNull(at(entry, 'entryId')) ?? ''
  return BESIDE.test(id) || id.includes('-promoted-tweet-')
}

/** A cursor is in the content of its entry or, in modules and older responses, in the `itemContent` of the content. */
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
