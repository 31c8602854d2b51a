/**
 * Reads pages of posts in all envelopes that the source has used.
 *
 * @module
 */
import { at, flagOrNull, listAt, SourceChanged, textOrNull } from 'gleaner/plugin'
import { graphFacts } from './graph-node.ts'
import { objectFacts } from './media-object.ts'
import { postOf, type ReadPost } from './post.ts'
import type { Profile } from './profile.ts'

/** One page of a list of posts. */
export type PostPage = {
  /** the posts as the source wrote them */
  readonly nodes: readonly unknown[]
  /**
   * whether the source says that more posts follow; a cursor does not imply this, because the last page may have one
   */
  readonly more: boolean
  /** the position of the next page */
  readonly cursor: string | null
}

/**
 * Reads a response with posts: GraphQL of both kinds, or `items` of api/v1.
 *
 * @throws {SourceChanged} when the response has no list, or does not say whether more posts follow
 */
export function pageIn(json: unknown): PostPage {
  const connection =
    at(json, 'data', 'user', 'edge_owner_to_timeline_media') ??
    at(json, 'data', 'xdt_api__v1__feed__user_timeline_graphql_connection')
  if (connection !== undefined && connection !== null) return connectionPage(connection)
  const nodes = listAt(json, 'items').map((item) => at(item, 'media') ?? item)
  const more = flagOrNull(at(json, 'more_available') ?? at(json, 'paging_info', 'more_available'))
  const cursor = textOrNull(at(json, 'next_max_id') ?? at(json, 'paging_info', 'max_id'))
  return { nodes, more: more ?? cursor !== null, cursor }
}

/** @throws {SourceChanged} when the connection has no list, or does not say whether more posts follow */
export function connectionPage(connection: unknown): PostPage {
  const more = at(connection, 'page_info', 'has_next_page')
  if (typeof more !== 'boolean')
    throw new SourceChanged('the list of posts does not say whether there are more')
  return {
    nodes: listAt(connection, 'edges').map((edge) => at(edge, 'node')),
    more,
    cursor: textOrNull(at(connection, 'page_info', 'end_cursor')),
  }
}

/** Reads a post from any envelope. @throws {SourceChanged} when it has neither id nor shortcode */
export function readPost(node: unknown, profile: Profile, origin: string): ReadPost {
  const isObject = at(node, 'media_type') !== undefined || at(node, 'taken_at') !== undefined
  return postOf(isObject ? objectFacts(node, profile) : graphFacts(node, profile), node, origin)
}
