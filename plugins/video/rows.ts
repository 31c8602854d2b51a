/**
 * Reads the rows of the source's lists: Shorts in all the forms that they have had, and where the list goes on.
 *
 * @module
 */
import { at, entriesAt, integerOrNull, SourceChanged, textOrNull } from 'gleaner/plugin'
import type { Listed } from './short.ts'
import { clockSeconds, labelSeconds, viewsOf, wrappedText } from './texts.ts'

/** A page of a list, and the token of the one behind it; null on the last. */
export type Rows = { readonly shorts: readonly Listed[]; readonly next: string | null }

/**
 * The Shorts among the rows of a list.
 *
 * @throws {SourceChanged} when rows of the list are there, but none in a form that is known, and when the list goes on
 *   in a way that is not
 */
export function readRows(rows: readonly unknown[]): Rows {
  const shorts: Listed[] = []
  const strange: string[] = []
  let next: string | null = null
  for (const row of rows) {
    const [name = '', content] = entryOf(row)
    if (name.startsWith('continuationItem')) next = tokenOf(content)
    else {
      const short = shortOf(name, content)
      if (short) shorts.push(short)
      else strange.push(name)
    }
  }
  // Advertisements and the like stand between Shorts; alone they would hide that these look otherwise now.
  if (shorts.length === 0 && strange.length > 0)
    throw new SourceChanged(`the list holds no Shorts, but ${strange[0]}`)
  return { shorts, next }
}

/** `{kind: content}`; in grids one level deeper. */
function entryOf(row: unknown): readonly [string?, unknown?] {
  const entry = at(row, 'richItemRenderer', 'content') ?? row
  return typeof entry === 'object' && entry !== null ? (Object.entries(entry)[0] ?? []) : []
}

function tokenOf(item: unknown): string {
  const endpoint = at(item, 'continuationEndpoint')
  const commands = at(endpoint, 'commandExecutorCommand', 'commands')
  for (const command of [endpoint, ...entriesAt(commands)]) {
    const token = textOrNull(at(command, 'continuationCommand', 'token'))
    if (token !== null) return token
  }
  throw new SourceChanged('the list goes on without a token')
}

function shortOf(kind: string, content: unknown): Listed | undefined {
  switch (kind) {
    case 'shortsLockupViewModel':
      return ofLockup(content)
    case 'reelItemRenderer':
      return ofReel(content)
    case 'playlistVideoRenderer':
      return ofPlaylist(content)
    case 'lockupViewModel':
      return ofPlaylistLockup(content)
    default:
      return undefined
  }
}

type Parts = {
  readonly id: unknown
  readonly title: unknown
  readonly views?: unknown
  readonly images: readonly unknown[]
  readonly seconds?: number | null
  readonly published?: unknown
}

function listed({ id, title, views, images, seconds = null, published }: Parts): Listed {
  const video_id = textOrNull(id)
  if (video_id === null) throw new SourceChanged('a Short has no id')
  const view_count_text = wrappedText(views)
  const thumbnails = images.flatMap(imagesOf)
  return {
    video_id,
    url: `https://www.youtube.com/shorts/${encodeURIComponent(video_id)}`,
    title: wrappedText(title),
    view_count: viewsOf(view_count_text),
    view_count_text,
    thumbnail_url: thumbnails[0]?.url ?? null,
    thumbnails,
    duration_seconds: seconds,
    published_text: wrappedText(published),
    published_at: null,
  }
}

function imagesOf(list: unknown): Listed['thumbnails'] {
  const images = entriesAt(list)
  return images.flatMap((image) => {
    const url = textOrNull(at(image, 'url'))
    const size = { width: integerOrNull(at(image, 'width')), height: integerOrNull(at(image, 'height')) }
    return url !== null && /^https?:\/\//.test(url) ? [{ url, ...size }] : []
  })
}

/** Since November 2024. */
function ofLockup(content: unknown): Listed {
  const watch = at(content, 'onTap', 'innertubeCommand', 'reelWatchEndpoint')
  const entity = textOrNull(at(content, 'entityId'))
  const prefix = 'shorts-shelf-item-'
  return listed({
    id: at(watch, 'videoId') ?? (entity?.startsWith(prefix) ? entity.slice(prefix.length) : null),
    title: at(content, 'overlayMetadata', 'primaryText'),
    views: at(content, 'overlayMetadata', 'secondaryText'),
    images: [
      at(content, 'thumbnail', 'sources') ??
        at(content, 'thumbnailViewModel', 'thumbnailViewModel', 'image', 'sources'),
      at(watch, 'thumbnail', 'thumbnails'),
    ],
  })
}

/** Until September 2024. */
function ofReel(content: unknown): Listed {
  const watch = at(content, 'navigationEndpoint', 'reelWatchEndpoint')
  const header = at(watch, 'overlay', 'reelPlayerOverlayRenderer', 'reelPlayerHeaderSupportedRenderers')
  return listed({
    id: at(content, 'videoId'),
    title: at(content, 'headline'),
    views: at(content, 'viewCountText'),
    images: [at(content, 'thumbnail', 'thumbnails'), at(watch, 'thumbnail', 'thumbnails')],
    seconds: labelSeconds(textOrNull(at(content, 'accessibility', 'accessibilityData', 'label'))),
    published: at(header, 'reelPlayerHeaderRenderer', 'timestampText'),
  })
}

/** In the playlist of a channel's Shorts, until 2026: `997K views`, ` • `, `13 days ago`. */
function ofPlaylist(content: unknown): Listed {
  const words = runsOf(at(content, 'videoInfo'))
  return listed({
    id: at(content, 'videoId'),
    title: at(content, 'title'),
    views: words.find(isViews),
    images: [at(content, 'thumbnail', 'thumbnails')],
    seconds:
      integerOrNull(at(content, 'lengthSeconds')) ?? clockSeconds(wrappedText(at(content, 'lengthText'))),
    published: words.find(isAgo),
  })
}

/** In the same playlist, since 2026. */
function ofPlaylistLockup(content: unknown): Listed {
  const metadata = at(content, 'metadata', 'lockupMetadataViewModel')
  const words = metadataTexts(at(metadata, 'metadata', 'contentMetadataViewModel'))
  const image = at(content, 'contentImage', 'thumbnailViewModel')
  const badge = at(
    image,
    'overlays',
    0,
    'thumbnailBottomOverlayViewModel',
    'badges',
    0,
    'thumbnailBadgeViewModel',
  )
  return listed({
    id: at(content, 'contentId'),
    title: at(metadata, 'title'),
    views: words.find(isViews),
    images: [at(image, 'image', 'sources')],
    seconds: clockSeconds(textOrNull(at(badge, 'text'))),
    published: words.find(isAgo),
  })
}

const isViews = (text: string): boolean => / views?$/i.test(text)
const isAgo = (text: string): boolean => / ago$/i.test(text)

const runsOf = (value: unknown): string[] => {
  const runs = at(value, 'runs')
  return entriesAt(runs).map((run) => textOrNull(at(run, 'text')) ?? '')
}

/** All texts of rows of metadata, as headers and lists have them since 2024. */
export function metadataTexts(metadata: unknown): string[] {
  const rows = at(metadata, 'metadataRows')
  const parts = entriesAt(rows).flatMap((row) => at(row, 'metadataParts') ?? [])
  return parts.map((part) => wrappedText(at(part, 'text')) ?? '')
}
