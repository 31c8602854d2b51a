/**
 * The plain list of a post's comments.
 *
 * @module
 */
import { at, type Context, integerOrNull, SourceError, Unavailable } from 'gleaner/plugin'
import { embedAt, embedError, postEmbed } from '../plain/embed.ts'
import { type Asking, plainJson } from '../plain/requests.ts'
import { AMBIGUOUS, stateError, UnknownStatus } from '../statuses.ts'
import { type CommentPart, commentsIn } from './comment.ts'

export const LIST = '/api/comment/list/'

/** The query of a part, in the form that needs no signature. */
export const listQuery = (id: string, count: number, from: number): Record<string, string> => ({
  aid: '1988',
  aweme_id: id,
  count: String(count),
  cursor: String(from),
})

export type PlainList = {
  /** @throws {Unavailable} when the list is empty and the page has to say why */
  readonly read: (from: number) => Promise<CommentPart>
  /** whether the embed page said that the post is not available, without a reason */
  readonly isMissing: () => boolean
}

/** @param count the number of comments to ask for at once, 50 at most */
export function plainList(context: Asking & Pick<Context, 'note'>, id: string, count: number): PlainList {
  let isMissing = false

  async function read(from: number): Promise<CommentPart> {
    const json = await plainJson(context, LIST, listQuery(id, count, from))
    try {
      const part = commentsIn(context, json, from)
      if (from > 0 || part.rows.length > 0) return part
      return await withoutComments()
    } catch (error) {
      if (from > 0 || !(error instanceof UnknownStatus)) throw error
      return withoutComments(error)
    }
  }

  /**
   * The part of a post that has no comments.
   *
   * @param refusal the status that the list gave
   * @throws {SourceError} for any other post: the reason why it is not visible, or the refusal
   */
  async function withoutComments(refusal?: UnknownStatus): Promise<CommentPart> {
    const post = await readEmbed()
    const error = embedError(post)
    isMissing = error === AMBIGUOUS
    // The page may have the reason.
    if (isMissing) throw new Unavailable(stateError(AMBIGUOUS, null).message)
    if (error !== null) throw stateError(error, null)
    const comments = integerOrNull(at(post, 'videoData', 'itemInfos', 'commentCount'))
    if (comments === 0) return { from: 0, rows: [], next: null, more: false, total: 0 }
    throw refusal ?? new Unavailable('the list is empty, although the post has comments')
  }

  /** The embed page of the post. Its refusal is none of the list, and does not close this route for other runs. */
  async function readEmbed(): Promise<unknown> {
    try {
      return await embedAt(context, postEmbed(id))
    } catch (error) {
      if (!(error instanceof SourceError) || error.isFinal || error.code === 'source-rate-limited')
        throw error
      throw new Unavailable(`the list is empty; embed page: ${error.message}`)
    }
  }

  return { read, isMissing: () => isMissing }
}
