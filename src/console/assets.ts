/**
 * The console's styles and scripts, served unchanged.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { existing } from '../http/problems.ts'
import { BASE_STYLE, COPY_TEXT, readAssets, styleOf } from '../page/assets.ts'

/** The parts of the style sheet, in their order. */
const STYLES: readonly string[] = [
  'base.css',
  'layout.css',
  'parts.css',
  'forms.css',
  'tables.css',
  'tabs.css',
  'timeline.css',
  'chart.css',
  'credits.css',
  'home.css',
  'keys.css',
  'logins.css',
  'items.css',
  'item.css',
  'task.css',
  'catalogue.css',
  'webhooks.css',
  'sources.css',
  'status.css',
  'runs.css',
  'palette.css',
]
/** The style sheet of every page: {@link STYLES} in one, since a page waits for its styles. */
export const STYLE = 'console.css'
/** The scripts of every page: modules, which may import each other. */
export const SCRIPTS: readonly string[] = [
  'copy-text.js',
  'times.js',
  'ages.js',
  'clocks.js',
  'tabs.js',
  'task-form.js',
  'task-checks.js',
  'catalogue.js',
  'navigation.js',
  'forms.js',
  'shortcuts.js',
  'page-at.js',
  'palette.js',
  'copy-id.js',
  'selection.js',
  'live.js',
  'menus.js',
  'item-fields.js',
  'item-panel.js',
  'items-live.js',
  'items-copy.js',
]
/** Images: the sprite of icons, and the icons of tabs whose run works or has ended. */
const IMAGES = ['icons.svg', 'icon-busy.svg', 'icon-good.svg', 'icon-bad.svg']

const SHARED: Readonly<Record<string, URL>> = { 'base.css': BASE_STYLE, 'copy-text.js': COPY_TEXT }
const fileOf = (name: string): URL => SHARED[name] ?? new URL(`./assets/${name}`, import.meta.url)
const ASSETS = new Map([
  ...readAssets(...[...SCRIPTS, ...IMAGES].map(fileOf)),
  [STYLE, styleOf(...STYLES.map(fileOf))],
])
const VERSION = hash('sha256', [...ASSETS.values()].map(({ tag }) => tag).join()).slice(0, 12)

/**
 * The path of an asset below `/console/assets/`. It begins with a version of all assets, so that the relative addresses
 * in scripts and style sheets change with their targets.
 */
export const assetPath = (name: string): string => `${VERSION}/${name}`

/** @throws {Problem} 404 */
export function assetOf(name = ''): Response {
  const { body, contentType } = existing(ASSETS.get(name))
  return new Response(body, {
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' },
  })
}
