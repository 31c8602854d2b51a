/**
 * Reads a response that the page gets: the rows that its instructions contain, and the position of the next part.
 *
 * @module
 */
import { at, type Context, entriesAt, listAt, readRows, SourceChanged, textOrNull } from 'gleaner/plugin'
import type { Kind } from '../kinds.ts'

export type Answer<Row> = {
  readonly rows: readonly Row[]
  /** the position of the next page; the site sends one at the end too */
  readonly bottom: string | null
  /** the position of newer entries */
  readonly top: string | null
  /** whether the site says that nothing follows */
  readonly isLast: boolean
  /** the site's message to the visitor, if it sends one and no entries of the kind */
  readonly prompt: string | null
}

/** The places of a timeline; the last three are those of the new client. */
const TIMELINES = [
  ['search_by_raw_query', 'search_timeline', 'timeline'],
  ['home', 'home_timeline_urt'],
  ['search_by_raw_query', 'timeline', 'timeline'],
  ['home_timeline', 'home_timeline_urt'],
  ['home_timeline', 'home_latest_timeline_urt'],
]

/** The timeline in the JSON of a search or a home timeline; undefined when there is none. */
export const timelineIn = (json: unknown): unknown =>
  TIMELINES.map((way) => at(json, 'data', ...way)).find(
    (timeline) => timeline !== undefined && timeline !== null,
  )

/** A part by its name, or by the spelling of the new client. */
const either = (part: unknown, name: string, other: string): unknown => at(part, name) ?? at(part, other)
const entryIdOf = (entry: unknown): string => textOrNull(either(entry, 'entryId', 'entry_id')) ?? ''
const itemIn = (content: unknown): unknown => either(content, 'itemContent', 'content')

/** Entries that are not part of the list: adverts, suggestions, news, and the people on the Top tab. */
const BESIDE = /^(?:promoted-|who-to-follow-|stories-|messageprompt-|toptabsrpusermodule-)|-promoted-tweet-/

/**
 * Reads a response.
 *
 * @throws {SourceChanged} when the response has no instructions, when more than a fifth of its rows cannot be read, and
 *   when it has rows of which none has content
 */
export function answerOf<Row>(context: Pick<Context, 'note'>, json: unknown, kind: Kind<Row>): Answer<Row> {
  const instructions = listAt(timelineIn(json), 'instructions')
  const entries = instructions.flatMap(entriesIn)
  const parts = entries
    .flatMap(contentsOf)
    .map(kind.partOf)
    .filter((part) => part !== undefined)
  const rows = readRows(context, parts, kind.read).filter((row) => row !== null)
  if (rows.length === 0 && parts.some((part) => kind.isBare?.(part)))
    throw new SourceChanged(`none of the ${kind.noun}s has content`)
  return {
    rows,
    bottom: cursorIn(entries, 'Bottom'),
    top: cursorIn(entries, 'Top'),
    isLast: instructions.some(
      (one) =>
        at(one, 'type') === 'TimelineTerminateTimeline' &&
        ['Bottom', 'TopAndBottom'].includes(String(at(one, 'direction'))),
    ),
    prompt: parts.length === 0 ? promptIn(entries) : null,
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
    .map((part) => itemIn(at(part, 'content')) ?? itemIn(at(part, 'item')))
    .filter((content) => !either(content, 'promotedMetadata', 'promoted_metadata'))
}

const isBeside = (entry: unknown): boolean => BESIDE.test(entryIdOf(entry))

/** A cursor is in the content of its entry or, in modules and older responses, in the item of the content. */
function cursorIn(entries: readonly unknown[], type: string): string | null {
  const contents = entries.flatMap((entry) => [at(entry, 'content'), itemIn(at(entry, 'content'))])
  const cursor = contents.findLast((content) => either(content, 'cursorType', 'cursor_type') === type)
  return textOrNull(at(cursor, 'value'))
}

function promptIn(entries: readonly unknown[]): string | null {
  const prompt = entries.find((entry) => entryIdOf(entry).startsWith('messageprompt-'))
  if (prompt === undefined) return null
  const words = at(itemIn(at(prompt, 'content')), 'content')
  return textOrNull(at(words, 'bodyText')) ?? textOrNull(at(words, 'headerText')) ?? 'a prompt of the site'
}
