/**
 * The files of a plugin that read a task's answers.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CatalogueTask, PLUGINS } from '../../src/catalogue/catalogue.ts'

/** Whether a task's plugin is one of the project. */
export const isOurs = ({ module }: Pick<CatalogueTask, 'module'>): boolean =>
  fileURLToPath(module).startsWith(PLUGINS + sep)

/** A file of the plugin: its absolute path and its text. */
export type ParserFile = { readonly path: string; readonly text: string }

/** A line that names something. The first line of a file is 1. */
export type Place = { readonly path: string; readonly line: number; readonly text: string }

const IMPORT = /\b(?:from|import)\s*\(?\s*(['"])(\.[^'"]+\.ts)\1/g

/** The file that declares the task, then what it imports from the plugin, the nearest first. */
export function parserFiles({ key, module }: Pick<CatalogueTask, 'key' | 'module'>): ParserFile[] {
  const all = importedFrom(module)
  const declares = all.find(({ text }) => text.includes(`key: '${key}'`) || text.includes(`key: "${key}"`))
  return (declares ? importedFrom(declares.url) : all).map(({ url, text }) => ({
    path: fileURLToPath(url),
    text,
  }))
}

/** A module and all that it imports by relative paths, breadth first. */
function importedFrom(module: string): { readonly url: string; readonly text: string }[] {
  const files = new Map<string, string>()
  const waiting = [module]
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    if (files.has(url) || !existsSync(new URL(url))) continue
    const text = readFileSync(new URL(url), 'utf8')
    files.set(url, text)
    for (const [, , specifier = ''] of text.matchAll(IMPORT)) waiting.push(new URL(specifier, url).href)
  }
  return [...files].map(([url, text]) => ({ url, text }))
}

/**
 * The lines of code that read a field, element or class: those with its name in a text without blanks or after a dot, or
 * else all that have the name.
 */
export function placesOf(files: readonly ParserFile[], name: string): Place[] {
  // After `*` comes what a build of the site generates.
  const [stem = '', ...rest] = name.split('*')
  const word = `(?<![\\w-])${RegExp.escape(stem.replace(/[_-]+$/, ''))}${rest.length > 0 ? '' : '(?![\\w-])'}`
  if (stem === '') return []
  const named = placesWith(files, new RegExp(word))
  const read = new RegExp(`(['"\`])[^'"\`\\s]*${word}[^'"\`\\s]*\\1|\\.${word}`)
  const places = named.filter(({ text }) => read.test(text))
  return places.length > 0 ? places : named
}

/** Lines that match, without those of comments. */
const placesWith = (files: readonly ParserFile[], pattern: RegExp): Place[] =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, i) => ({ path, line: i + 1, text: line.trim() }))
      .filter(({ text: line }) => !/^(?:\/?\*|\/\/)/.test(line) && pattern.test(line)),
  )
