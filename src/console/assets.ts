/**
 * The console's styles and scripts, served unchanged.
 *
 * @module
 */
import { existing } from '../http/problems.ts'
import { BASE_STYLE, COPY_TEXT, readAssets } from '../page/assets.ts'

const ASSETS = readAssets(
  BASE_STYLE,
  new URL('./assets/console.css', import.meta.url),
  new URL('./assets/chart.css', import.meta.url),
  new URL('./assets/credits.css', import.meta.url),
  COPY_TEXT,
  new URL('./assets/console.js', import.meta.url),
)

/** The path of an asset below `/console/assets/`, which changes with the asset's content. */
export const assetPath = (name: string): string => `${name}?v=${ASSETS.get(name)?.tag}`

/** @throws {Problem} 404 */
export function assetOf(name = ''): Response {
  const { body, contentType } = existing(ASSETS.get(name))
  return new Response(body, {
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' },
  })
}
