/**
 * Styles and scripts of pages, read once and served unchanged.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'

export type Asset = {
  readonly body: string
  readonly contentType: string
  /** changes with the body */
  readonly tag: string
}

/** The base style sheet of all pages. */
export const BASE_STYLE = new URL('./base.css', import.meta.url)
/** The script of the element `copy-text`. */
export const COPY_TEXT = new URL('./copy-text.js', import.meta.url)

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** Reads assets, and returns them by name. */
export const readAssets = (...files: readonly URL[]): ReadonlyMap<string, Asset> =>
  new Map(
    files.map((file) => {
      const body = readFileSync(file, 'utf8')
      const contentType = `${TYPES[extname(file.pathname)]}; charset=utf-8`
      return [basename(file.pathname), { body, contentType, tag: hash('sha256', body).slice(0, 12) }]
    }),
  )
