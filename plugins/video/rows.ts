/**
 * Reads the rows of the source's lists: Shorts in every form that the source has used, and the token of the next page.
 *
 * @module
 */
import {
  at,
  entriesAt,
  type FieldPath,
  from,
  integerOrNull,
  linkOrNull,
  reader,
  SourceChanged,
  textOrNull,
} from 'gleaner/plugin'
import { Listed } from './short.ts'
import { clockSeconds, labelSeconds, metadataTexts, viewsOf, wrappedText } from './texts.ts'

/** A page of a list, and the token of the next page; null on the last page. */
export type Rows = { readonly shorts: readonly Listed[]; readonly next: string | null }

/**
 * The Shorts among the rows of a list.
 *
 * @throws {SourceChanged} when the list has rows but none in a known form, or continues in an unknown way
 */
export function readRows(rows: readonly unknown[]): Rows {
  const shorts: Listed[] = []
  const strange: string[] = []
  let next: string | null = null
  for (const row of rows) {
    const [name = '', content] = entryOf(row)
    if (name.startsWith('continuationItem')) next = tokenOf(content)
    else {
      const short = Object.hasOwn(FORMS, name) ? FORMS[name]?.(content) : undefined
      if (short) shorts.push(short)
      else strange.push(name)
    }
  }
  // Adverts and other rows may occur between Shorts. If there are only other rows, the form of Shorts may have changed.
  if (shorts.length === 0 && strange.length > 0)
    throw new SourceChanged(`the list contains no Shorts but ${strange[0]}`)
  return { shorts, next }
}

/** The kind and content of a row `{kind: content}`, which grids wrap once more. */
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
  throw new SourceChanged('the list continues without a token')
}

type Ways = {
  readonly id: FieldPath
  readonly title: FieldPath
  readonly images: readonly string[]
  readonly views: FieldPath
  readonly seconds?: typeof Listed.properties.duration_seconds
  readonly published?: FieldPath
  /** the texts in the values of `views` and `published`, if these contain several texts to choose from */
  readonly texts?: (value: unknown) => string[]
}

/** Creates the reader of one form of a row. */
function form({ id, title, images, views, seconds, published = '-', texts }: Ways) {
  const among = (fits: RegExp) =>
    texts && ((value: unknown) => texts(value).find((text) => fits.test(text)) ?? null)
  const url = from.value(Listed.properties.url, () => '')
  const read = reader(Listed, {
    video_id: from.required(from.text(id, undefined, idOf), 'a Short has no id'),
    url,
    title: from.text(title, undefined, wrappedText),
    view_count_text: from.text(views, undefined, among(/ views?$/i) ?? wrappedText),
    thumbnails: from.value(Listed.properties.thumbnails, (row) =>
      images.flatMap((way) => imagesOf(at(row, ...way.split('.')))),
    ),
    duration_seconds: seconds ?? from.integer('-'),
    published_text: from.text(published, undefined, among(/ ago$/i) ?? wrappedText),
  })
  return (content: unknown): Listed => {
    const short = read(content)
    return {
      ...short,
      url: `https://www.youtube.com/shorts/${encodeURIComponent(short.video_id)}`,
      view_count: viewsOf(short.view_count_text),
      thumbnail_url: short.thumbnails[0]?.url ?? null,
    }
  }
}

const idOf = (value: unknown): string | null => textOrNull(value)?.replace(/^shorts-shelf-item-/, '') || null

const imagesOf = (list: unknown): Listed['thumbnails'] =>
  entriesAt(list).flatMap((image) => {
    const url = linkOrNull(at(image, 'url'))
    const size = { width: integerOrNull(at(image, 'width')), height: integerOrNull(at(image, 'height')) }
    return url === null ? [] : { url, ...size }
  })

const WATCH = 'navigationEndpoint.reelWatchEndpoint'
/** The length among the badges over a picture, in seconds. */
const badgeSeconds = (overlays: unknown): number | null =>
  entriesAt(overlays)
    .flatMap((overlay) => entriesAt(overlay, 'thumbnailBottomOverlayViewModel', 'badges'))
    .map((badge) => clockSeconds(at(badge, 'thumbnailBadgeViewModel', 'text')))
    .find((seconds) => seconds !== null) ?? null
const METADATA = 'metadata.lockupMetadataViewModel'

const FORMS: Readonly<Record<string, (content: unknown) => Listed>> = {
  // since November 2024
  shortsLockupViewModel: form({
    id: ['onTap.innertubeCommand.reelWatchEndpoint.videoId', 'entityId'],
    title: 'overlayMetadata.primaryText',
    views: 'overlayMetadata.secondaryText',
    images: [
      'thumbnail.sources',
      'thumbnailViewModel.thumbnailViewModel.image.sources',
      'onTap.innertubeCommand.reelWatchEndpoint.thumbnail.thumbnails',
    ],
  }),
  // until September 2024
  reelItemRenderer: form({
    id: 'videoId',
    title: 'headline',
    views: 'viewCountText',
    images: ['thumbnail.thumbnails', `${WATCH}.thumbnail.thumbnails`],
    seconds: from.integer('accessibility.accessibilityData.label', undefined, labelSeconds),
    published: `${WATCH}.overlay.reelPlayerOverlayRenderer.reelPlayerHeaderSupportedRenderers.reelPlayerHeaderRenderer.timestampText`,
  }),
  // in the playlist of a channel's Shorts, until 2026; the texts are `997K views`, ` • `, `13 days ago`
  playlistVideoRenderer: form({
    id: 'videoId',
    title: 'title',
    views: 'videoInfo.runs',
    published: 'videoInfo.runs',
    texts: (runs) => entriesAt(runs).map((run) => textOrNull(at(run, 'text')) ?? ''),
    images: ['thumbnail.thumbnails'],
    seconds: from.integer(
      ['lengthSeconds', 'lengthText'],
      undefined,
      (length) => integerOrNull(length) ?? clockSeconds(length),
    ),
  }),
  // in the same playlist, since 2026
  lockupViewModel: form({
    id: 'contentId',
    title: `${METADATA}.title`,
    views: `${METADATA}.metadata.contentMetadataViewModel`,
    published: `${METADATA}.metadata.contentMetadataViewModel`,
    texts: metadataTexts,
    images: ['contentImage.thumbnailViewModel.image.sources'],
    seconds: from.integer('contentImage.thumbnailViewModel.overlays', undefined, badgeSeconds),
  }),
}
