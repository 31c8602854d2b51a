/**
 * The results of a search. A result begins with an element that states its id, title and community as JSON; what follows
 * belongs to it until the next one.
 *
 * @module
 */
import {
  at,
  type Context,
  flagOrNull,
  integerOrNull,
  jsonIn,
  readRows,
  SourceChanged,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import type { Post } from '../json/post.ts'
import { authorOf, permalinkOf, prefixOf } from '../json/values.ts'
import type { ListingPage } from '../listing.ts'
import { parameterOf } from './position.ts'
import { fullnameOf, unseenPost } from './post.ts'

const TRACKER = 'search-telemetry-tracker'
const LINK = 'a[data-testid="post-title"], a[data-testid="post-title-text"]'
const NUMBER = '[data-testid="search-counter-row"] faceplate-number[number]'
const TIME = 'faceplate-timeago[ts]'
const NOTHING = /data-testid="search-no-results"|couldn.{1,8}t find any results/i

/** The form of a position for clients. The site's own form has characters that mean something else in addresses. */
export const OPAQUE = '[A-Za-z0-9_-]{20,3000}={0,2}'
export const cursorOf = (position: string): string => position.replaceAll('-', '+').replaceAll('_', '/')

/** @throws {SourceChanged} for a cursor that a client could not send back */
function positionOf(cursor: string): string {
  const position = cursor.replaceAll('+', '-').replaceAll('/', '_')
  if (!new RegExp(`^${OPAQUE}$`).test(position)) throw new SourceChanged('a position of another form')
  return position
}

type Result = {
  /** the JSON of its first element; undefined when it cannot be read */
  readonly tracking: unknown
  readonly links: Element[]
  readonly times: Element[]
  readonly numbers: Element[]
}

/** A page of results; undefined when there is neither a result nor a statement that there is none. */
export function resultsIn(context: Context, document: Document, html: string): ListingPage<Post> | undefined {
  const results = resultsOf(document)
  if (results.length === 0 && !NOTHING.test(html)) return undefined
  const more = [...document.querySelectorAll('faceplate-partial[src*="cursor="]')].at(-1)
  const cursor = parameterOf(more, 'cursor')
  return {
    items: readRows(context, results, (result) => postOf(result, context.origin)),
    after: cursor === null || results.length === 0 ? null : positionOf(cursor),
    before: null,
    isOpaque: true,
  }
}

function resultsOf(document: Document): Result[] {
  const results = new Map<string, Result>()
  let current: Result | undefined
  for (const element of document.querySelectorAll([TRACKER, LINK, TIME, NUMBER].join())) {
    if (element.localName !== TRACKER) {
      if (element.matches(LINK)) current?.links.push(element)
      else if (element.matches(TIME)) current?.times.push(element)
      else current?.numbers.push(element)
      continue
    }
    const tracking = jsonIn(element.getAttribute('data-faceplate-tracking-context') ?? '')
    const isResult =
      at(tracking, 'action_info', 'type') === 'post' || element.matches('[data-testid="search-sdui-post"]')
    // What cannot be read may be a result: the next numbers must not count for the one before.
    if (!isResult && tracking !== undefined) continue
    current = { tracking, links: [], times: [], numbers: [] }
    const id = String(at(tracking, 'post', 'id') ?? `unreadable ${results.size}`)
    if (!results.has(id)) results.set(id, current)
  }
  return [...results.values()]
}

/** @throws {SourceChanged} when the result has no fullname */
function postOf({ tracking, links, times, numbers }: Result, origin: string): Post {
  const community = textOrNull(at(tracking, 'subreddit', 'name'))
  const number = (i: number) => integerOrNull(numbers[i]?.getAttribute('number'))
  return {
    ...unseenPost({ name: fullnameOf('t3', at(tracking, 'post', 'id')) }),
    title: textOrNull(at(tracking, 'post', 'title')),
    author: authorOf(at(tracking, 'profile', 'name')),
    community,
    community_prefixed: prefixOf(community),
    permalink: permalinkOf(links[0]?.getAttribute('href'), origin),
    score: number(0),
    num_comments: number(1),
    created_at: timeOf(times[0]?.getAttribute('ts')),
    over_18: flagOrNull(at(tracking, 'post', 'nsfw')),
    spoiler: flagOrNull(at(tracking, 'post', 'spoiler')),
  }
}
