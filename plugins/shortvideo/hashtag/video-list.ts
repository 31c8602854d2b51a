/**
 * The videos of a hashtag: the rows of the embed page, and from the position after them on, those of the tag's page.
 *
 * @module
 */
import { type Context, type PageOf, routes, SourceError } from 'gleaner/plugin'
import type { EmbedPage } from './embed-page.ts'
import type { Hashtag } from './hashtag.ts'
import type { TagPage } from './tag-page.ts'
import type { Video } from './video.ts'

/** The number of videos on one page of the source: those of the embed page. */
const PAGE = 10

/** A video, and whether it is a row of the embed page, which lacks most of its fields. */
export type Row = { readonly video: Video; readonly isEmbedded: boolean }

export type VideoList = {
  readonly read: (position: string) => Promise<PageOf<Row> | null>
  /** whether the site has more videos than it lets this visitor read */
  readonly isCutOff: () => boolean
}

export function videoList(
  context: Pick<Context, 'exitMemory' | 'note' | 'signedIn'>,
  embed: EmbedPage,
  page: TagPage,
  { video_count }: Hashtag,
): VideoList {
  const shared = !context.signedIn
  let isCutOff = false
  const seenIds = new Set<string>()
  /** the number of rows of the embed page, while the tag's page has given none */
  let onlyEmbedded: number | undefined

  const begin = routes<void, PageOf<Row> | null>(context, [
    { name: 'embed-tag', read: fromEmbed, shared },
    { name: 'tag-page', read: () => fromPage(0), shared },
  ])

  async function fromEmbed(): Promise<PageOf<Row>> {
    const { rows, next, more } = await embed.videos()
    onlyEmbedded = rows.length
    isCutOff = more === true
    return { rows: rows.map((video) => ({ video, isEmbedded: true })), next: textOf(next) }
  }

  async function fromPage(from: number): Promise<PageOf<Row> | null> {
    const part = await page.videos(from)
    isCutOff = part === null || part.more === true
    if (!part) return null
    const all = part.rows.slice(Math.max(0, from - part.from))
    // The first rows are as many as those of the embed page, so that a cursor fits both.
    const isTooLong = from === 0 && all.length > PAGE
    const rows = isTooLong ? all.slice(0, PAGE) : all
    // The site may repeat videos at advancing positions forever.
    const isRepeat = rows.length > 0 && rows.every(({ video_id }) => seenIds.has(video_id))
    for (const { video_id } of rows) seenIds.add(video_id)
    const next = isTooLong ? PAGE : part.more && !isRepeat ? part.next : null
    return { rows: rows.map((video) => ({ video, isEmbedded: false })), next: textOf(next) }
  }

  async function read(position: string): Promise<PageOf<Row> | null> {
    const from = Number(position)
    if (from === 0) return begin()
    const answer = await fromPage(from).catch((error: unknown) => {
      if (onlyEmbedded === undefined || !isRefusal(error)) throw error
      return { rows: [], next: null }
    })
    if (onlyEmbedded === undefined || answer === null || answer.rows.length > 0) {
      context.note({ route: 'tag-page' })
      onlyEmbedded = undefined
      return answer
    }
    // The page shows this visitor nothing more, so no cursor leads on.
    isCutOff = video_count === null || video_count > onlyEmbedded
    return { rows: [], next: null }
  }

  /** Whether the page has nothing for this visitor. A refused login is for the service to check. */
  function isRefusal(error: unknown): boolean {
    if (!(error instanceof SourceError) || error.isFinal) return false
    return error.code === 'source-blocked' || (error.code === 'source-login-required' && !context.signedIn)
  }

  return { read, isCutOff: () => isCutOff }
}

const textOf = (position: number | null): string | null => (position === null ? null : String(position))
