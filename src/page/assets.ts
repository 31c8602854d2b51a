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

const asset = (body: string, extension: string): Asset => ({
  body,
  contentType: `${TYPES[extension]}; charset=utf-8`,
  tag: hash('sha256', body).slice(0, 12),
})

/** Reads assets, and returns them by name. */
export const readAssets = (...files: readonly URL[]): ReadonlyMap<string, Asset> =>
  new Map(
    files.map((file) => [basename(file.pathname), asset(readFileSync(file, 'utf8'), extname(file.pathname))]),
  )

/** One style sheet of several, in their order. */
export const styleOf = (...files: readonly URL[]): Asset =>
  asset(files.map((file) => readFileSync(file, 'utf8')).join('\n'), '.css')
