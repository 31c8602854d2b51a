/**
 * The embed page of a hashtag: the hashtag, and its first ten videos.
 *
 * @module
 */
import { at, type Context, listAt, readRows, SourceError, Unavailable } from 'gleaner/plugin'
import type { Part } from '../list-part.ts'
import { embedAt, embedError, postEmbed } from '../plain/embed.ts'
import type { Asking } from '../plain/requests.ts'
import { embeddedPostOf, embeddedRowOf, withPost } from './embedded-video.ts'
import { embeddedHashtagOf, type Hashtag } from './hashtag.ts'
import type { Video } from './video.ts'

export type EmbedPage = {
  readonly hashtag: () => Promise<Hashtag>
  /** @throws {Unavailable} when the page shows no videos of a hashtag that has some */
  readonly videos: () => Promise<Part<Video>>
}

/** Reads the page when it is first needed. A refusal is not repeated. */
export function embedPage(context: Asking & Pick<Context, 'note'>, name: string): EmbedPage {
  let embed: Promise<unknown> | undefined

  async function content(): Promise<unknown> {
    embed ??= embedAt(context, `/embed/tag/${encodeURIComponent(name.toLowerCase())}`)
    const page = await embed
    const error = embedError(page)
    // Only the details tell whether there is such a hashtag.
    if (error !== null) throw new Unavailable(`status ${error}`)
    return page
  }

  return {
    hashtag: async () => embeddedHashtagOf(at(await content(), 'embedInfo')),
    async videos() {
      const page = await content()
      const list = listAt(page, 'videoList')
      const { video_count } = embeddedHashtagOf(at(page, 'embedInfo'))
      const publicRows = list.filter((row) => at(row, 'privateItem') !== true)
      const rows = readRows(context, publicRows, (row) => embeddedRowOf(row))
      if (rows.length === 0 && video_count !== 0) throw new Unavailable('the page shows no videos')
      const more = video_count === null || video_count > list.length
      return { from: 0, rows, next: more ? rows.length : null, more }
    },
  }
}

/**
 * Completes rows of the embed page from the embed pages of their posts, up to the first refusal.
 *
 * @returns a function that returns a row with everything that could be had
 */
export function completing(context: Asking): (row: Video) => Promise<Video> {
  let isRefused = false
  return async (row) => {
    if (isRefused) return row
    try {
      const post = await embedAt(context, postEmbed(row.video_id), 1)
      // A post that is not shown by itself is no refusal.
      return embedError(post) === null ? withPost(row, embeddedPostOf(at(post, 'videoData'))) : row
    } catch (error) {
      if (!(error instanceof SourceError) || error.isFinal) throw error
      isRefused = true
      return row
    }
  }
}
