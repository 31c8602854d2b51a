/**
 * The forms of a Short in the source's lists.
 *
 * @module
 */
import {
  at,
  entriesAt,
  type FieldPath,
  field,
  integerOrNull,
  linkOrNull,
  reader,
  textOrNull,
} from 'gleaner/plugin'
import { ListedShort } from '../short.ts'
import { clockSeconds, metadataTexts, viewsOf, wrappedText } from '../texts.ts'

type Ways = {
  readonly id: FieldPath
  readonly title: FieldPath
  readonly images: readonly string[]
  /** the value with the views, and with the age if the form has it */
  readonly facts: FieldPath
  /** the texts in this value; default: it is one text */
  readonly texts?: (value: unknown) => readonly (string | null)[]
  readonly seconds?: typeof ListedShort.properties.duration_seconds
}

/** Creates the reader of one form of a row. */
function form({ id, title, images, facts, texts = (value) => [wrappedText(value)], seconds }: Ways) {
  // Instead of its views, a Short may show that it is for members only.
  const among = (fits: RegExp) => (value: unknown) =>
    texts(value).find((text) => fits.test(text ?? '')) ?? null
  const read = reader(ListedShort, {
    video_id: field.required(field.text(id, undefined, idOf), 'a Short has no id'),
    url: field.value(ListedShort.properties.url, () => ''),
    title: field.text(title, undefined, wrappedText),
    view_count_text: field.text(facts, undefined, among(/\bviews?$/i)),
    thumbnails: field.value(ListedShort.properties.thumbnails, (row) =>
      images.flatMap((way) => imagesOf(at(row, ...way.split('.')))),
    ),
    duration_seconds: seconds ?? field.integer('-'),
    published_text: field.text(facts, undefined, among(/ ago$/i)),
  })
  return (content: unknown): ListedShort => {
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

const imagesOf = (list: unknown): ListedShort['thumbnails'] =>
  entriesAt(list).flatMap((image) => {
    const url = linkOrNull(at(image, 'url'))
    const size = { width: integerOrNull(at(image, 'width')), height: integerOrNull(at(image, 'height')) }
    return url === null ? [] : { url, ...size }
  })

/** The length among the badges over a picture, in seconds. */
const badgeSeconds = (overlays: unknown): number | null =>
  entriesAt(overlays)
    .flatMap((overlay) => entriesAt(overlay, 'thumbnailBottomOverlayViewModel', 'badges'))
    .map((badge) => clockSeconds(at(badge, 'thumbnailBadgeViewModel', 'text')))
    .find((seconds) => seconds !== null) ?? null

const METADATA = 'metadata.lockupMetadataViewModel'
const REEL = 'onTap.innertubeCommand.reelWatchEndpoint'

const shortsLockup = form({
  id: [`${REEL}.videoId`, 'entityId'],
  title: 'overlayMetadata.primaryText',
  facts: 'overlayMetadata.secondaryText',
  images: [
    'thumbnail.sources',
    'thumbnailViewModel.thumbnailViewModel.image.sources',
    `${REEL}.thumbnail.thumbnails`,
  ],
})

/** The readers of the forms, by the name of the form. */
export const FORMS: Readonly<Record<string, (content: unknown) => ListedShort>> = {
  // in grids, since November 2024
  shortsLockupViewModel: shortsLockup,
  shortsLockupViewModelV2: shortsLockup,
  // in the playlist of a channel's Shorts and in other tabs, since 2026
  lockupViewModel: form({
    id: 'contentId',
    title: `${METADATA}.title`,
    facts: `${METADATA}.metadata.contentMetadataViewModel`,
    texts: metadataTexts,
    images: ['contentImage.thumbnailViewModel.image.sources'],
    seconds: field.integer('contentImage.thumbnailViewModel.overlays', undefined, badgeSeconds),
  }),
  // in the same playlist, until June 2026; the texts are `997K views`, ` • `, `13 days ago`
  playlistVideoRenderer: form({
    id: 'videoId',
    title: 'title',
    facts: 'videoInfo.runs',
    texts: (runs) => entriesAt(runs).map((run) => textOrNull(at(run, 'text'))),
    images: ['thumbnail.thumbnails'],
    seconds: field.integer(
      ['lengthSeconds', 'lengthText'],
      undefined,
      (length) => integerOrNull(length) ?? clockSeconds(length),
    ),
  }),
}
