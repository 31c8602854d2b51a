/**
 * Posts as GraphQL had them from 2018 on: GraphImage, GraphVideo and GraphSidecar, later with `XDT` before the name.
 *
 * @module
 */
import { at, entriesAt, integerOrNull, linkOrNull, numberOrNull, textOrNull, timeOf } from 'gleaner/plugin'
import { carouselOf, type MediaFacts, type PostFacts } from './post.ts'
import type { Profile } from './profile.ts'
import { countOrNull, idIn, nodesIn, usernamesIn } from './values.ts'

/** Reads a node. @param profile the one whose list it stands in, which older nodes do not name */
export function graphFacts(node: unknown, profile: Pick<Profile, 'id' | 'username'>): PostFacts {
  const sidecar = at(node, 'edge_sidecar_to_children')
  const isCarousel = isOf(node, 'Sidecar') || sidecar !== undefined
  const children = nodesIn(sidecar)
  const own = mediaFacts(node)
  const owner = idIn(at(node, 'owner'), 'id')
  const place = at(node, 'location')
  const location = { id: idIn(place, 'id', 'pk'), name: textOrNull(at(place, 'name')) }
  return {
    id: idIn(node, 'id'),
    code: at(node, 'shortcode'),
    type: isCarousel ? 'carousel' : own.kind,
    product_type: textOrNull(at(node, 'product_type')),
    taken_at: timeOf(at(node, 'taken_at_timestamp')),
    caption: at(nodesIn(at(node, 'edge_media_to_caption'))[0], 'text'),
    like_count:
      countOrNull(at(node, 'edge_media_preview_like', 'count')) ??
      countOrNull(at(node, 'edge_liked_by', 'count')),
    comment_count:
      countOrNull(at(node, 'edge_media_to_comment', 'count')) ??
      countOrNull(at(node, 'edge_media_to_parent_comment', 'count')),
    view_count: countOrNull(at(node, 'video_view_count')) ?? countOrNull(at(node, 'video_play_count')),
    owner: {
      id: owner,
      username: textOrNull(at(node, 'owner', 'username')) ?? (owner === profile.id ? profile.username : null),
    },
    coauthors: usernamesIn(at(node, 'coauthor_producers')),
    tagged_users: usernamesIn(nodesIn(at(node, 'edge_media_to_tagged_user')), 'user'),
    location: location.id === null && location.name === null ? null : location,
    accessibility_caption: textOrNull(at(node, 'accessibility_caption')),
    is_pinned: entriesAt(node, 'pinned_for_users').some((user) => idIn(user, 'id', 'pk') === profile.id),
    ...(isCarousel ? carouselOf(children.map(mediaFacts), own) : { media: [own] }),
  }
}

function mediaFacts(node: unknown): MediaFacts {
  return {
    kind: at(node, 'is_video') === true || isOf(node, 'Video') ? 'video' : 'image',
    source_id: idIn(node, 'id'),
    width: integerOrNull(at(node, 'dimensions', 'width')),
    height: integerOrNull(at(node, 'dimensions', 'height')),
    duration_seconds: numberOrNull(at(node, 'video_duration')),
    image_url: linkOrNull(at(node, 'display_url')) ?? widest(node) ?? linkOrNull(at(node, 'thumbnail_src')),
    video_url: linkOrNull(at(node, 'video_url')),
  }
}

function widest(node: unknown): string | null {
  const sizes = entriesAt(node, 'display_resources').flatMap((size) => {
    const url = linkOrNull(at(size, 'src'))
    return url === null ? [] : [{ url, width: integerOrNull(at(size, 'config_width')) ?? 0 }]
  })
  return sizes.sort((a, b) => b.width - a.width)[0]?.url ?? null
}

const isOf = (node: unknown, what: 'Sidecar' | 'Video'): boolean =>
  String(at(node, '__typename') ?? '').endsWith(what)
