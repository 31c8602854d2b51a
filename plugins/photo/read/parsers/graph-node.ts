/**
 * Reads posts in the GraphQL form since 2018: GraphImage, GraphVideo and GraphSidecar, later with the prefix `XDT`.
 *
 * @module
 */
import { at, entriesAt, field, linkOrNull, reader, Type, textOrNull } from 'gleaner/plugin'
import { carouselOf, type MediaFacts, type PostFacts } from './post.ts'
import type { Profile } from './profile.ts'
import { countOrNull, idIn, nodesIn, placeOf, usernamesIn } from './values.ts'

const count = (...ways: string[]) => field.integer(ways, undefined, countOrNull)

const post = reader(
  Type.Object({
    product_type: field.text('product_type'),
    taken_at: field.time('taken_at_timestamp'),
    like_count: count('edge_media_preview_like.count', 'edge_liked_by.count'),
    comment_count: count('edge_media_to_comment.count', 'edge_media_to_parent_comment.count'),
    view_count: count('video_view_count', 'video_play_count'),
    accessibility_caption: field.text('accessibility_caption'),
  }),
)
const media = reader(
  Type.Object({
    width: field.integer('dimensions.width'),
    height: field.integer('dimensions.height'),
    duration_seconds: field.number('video_duration'),
    video_url: field.link('video_url'),
  }),
)

/** Reads a node. @param profile the profile whose list contains the node; older nodes do not name it */
export function graphFacts(node: unknown, profile: Pick<Profile, 'id' | 'username'>): PostFacts {
  const sidecar = at(node, 'edge_sidecar_to_children')
  const isCarousel = isOf(node, 'Sidecar') || sidecar !== undefined
  const own = mediaFacts(node)
  const owner = idIn(at(node, 'owner'), 'id')
  return {
    ...post(node),
    id: idIn(node, 'id'),
    code: at(node, 'shortcode'),
    type: isCarousel ? 'carousel' : own.kind,
    caption: at(nodesIn(at(node, 'edge_media_to_caption'))[0], 'text'),
    owner: {
      id: owner,
      username: textOrNull(at(node, 'owner', 'username')) ?? (owner === profile.id ? profile.username : null),
    },
    coauthors: usernamesIn(at(node, 'coauthor_producers')),
    tagged_users: usernamesIn(nodesIn(at(node, 'edge_media_to_tagged_user')), 'user'),
    location: placeOf(at(node, 'location'), 'id', 'pk'),
    is_pinned: entriesAt(node, 'pinned_for_users').some((user) => idIn(user, 'id', 'pk') === profile.id),
    ...(isCarousel ? carouselOf(nodesIn(sidecar).map(mediaFacts), own) : { media: [own] }),
  }
}

function mediaFacts(node: unknown): MediaFacts {
  return {
    ...media(node),
    kind: at(node, 'is_video') === true || isOf(node, 'Video') ? 'video' : 'image',
    source_id: idIn(node, 'id'),
    image_url: linkOrNull(at(node, 'display_url')) ?? linkOrNull(at(node, 'thumbnail_src')),
  }
}

const isOf = (node: unknown, what: 'Sidecar' | 'Video'): boolean =>
  String(at(node, '__typename') ?? '').endsWith(what)
