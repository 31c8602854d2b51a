/**
 * The shape of a page: its elements, and the JSON in its scripts.
 *
 * @module
 */
import { parseHTML } from 'linkedom'
import { jsonAfter } from '../../src/plugin/reading/embedded.ts'
import { jsonIn } from '../../src/plugin/reading/json.ts'
import { pathsOf } from './json.ts'
import { withoutGenerated } from './names.ts'
import { type Shape, ShapeBuilder } from './shape.ts'

/** Attributes by whose value parsers find elements. */
const TELLING = ['name', 'property', 'itemprop', 'rel', 'role', 'data-testid', 'data-test', 'data-qa']
/** Attributes of any element. */
const PLAIN = ['id', 'class', 'style', 'slot', 'hidden']
/** A value that a script assigns to a name. */
const ASSIGNED = /(?<![\w$.])([\w$][\w$.]*(?:\[["'][\w$]+["']\])?)\s*=\s*(?=[[{])/g
/** Further assignments of a script are not read. */
const MOST_ASSIGNED = 50

/**
 * The elements of a page, each by its tag, id, classes and telling attributes (`div.card`, `meta[property=og:title]`) and
 * by the names of attributes with data (`lamp-card[price]`, `div[data-price]`), and the paths of the JSON in its scripts
 * (`window.shop lamps[].id`). Parts of names that a build of the site generates are `*`.
 */
export function skeletonOf(html: string): Shape {
  const shape = new ShapeBuilder()
  const { document } = parseHTML(html)
  /** parts of pictures, which no parser reads */
  const drawn = new Set<Element>()
  for (const element of document.querySelectorAll('*')) {
    const { parentElement } = element
    if (parentElement && (parentElement.localName === 'svg' || drawn.has(parentElement))) {
      drawn.add(element)
      continue
    }
    for (const name of namesOf(element)) shape.add(name, null, 'element')
    if (element.localName === 'script' && !element.hasAttribute('src'))
      for (const { name, json } of jsonOf(element)) shape.addAll(pathsOf(json), name)
  }
  return shape.end()
}

function namesOf(element: Element): Set<string> {
  const tag = element.localName
  const names = new Set([tag])
  if (element.id) names.add(`${tag}#${withoutGenerated(element.id)}`)
  for (const name of element.classList) names.add(`${tag}.${withoutGenerated(name)}`)
  for (const attribute of TELLING) {
    const value = element.getAttribute(attribute)
    if (value !== null && value.length < 100) names.add(`${tag}[${attribute}=${withoutGenerated(value)}]`)
  }
  // Attributes of custom elements are as their authors named them: most hold data.
  for (const attribute of element.getAttributeNames()) {
    const hasData = attribute.startsWith('data-') || (tag.includes('-') && !PLAIN.includes(attribute))
    if (hasData && !TELLING.includes(attribute)) names.add(`${tag}[${withoutGenerated(attribute)}]`)
  }
  return names
}

/** JSON in a script of a page. */
export type ScriptJson = {
  /** of the script or of the value that it assigns, without generated parts */
  readonly name: string
  /** the text before it, for `jsonAfter` */
  readonly marker: string
  readonly json: unknown
}

/** The JSON in all scripts of a page. */
export const scriptsOf = (document: Pick<Document, 'querySelectorAll'>): ScriptJson[] =>
  [...document.querySelectorAll('script:not([src])')].flatMap((script) => [...jsonOf(script)])

/** The JSON of a script: its whole content, or the values that it assigns. */
function* jsonOf(script: Element): Generator<ScriptJson> {
  const text = script.textContent ?? ''
  const whole = jsonIn(text)
  if (whole !== undefined) {
    const { id } = script
    const type = script.getAttribute('type')
    const marker = id ? `id="${id}"` : type === null ? '<script>' : `type="${type}"`
    const name = id ? `script#${withoutGenerated(id)}` : `script${type === null ? '' : `[type=${type}]`}`
    yield { name, marker, json: whole }
    return
  }
  let assigned = 0
  for (const { 0: marker, 1: name = '', index } of text.matchAll(ASSIGNED)) {
    if (++assigned > MOST_ASSIGNED) return
    const json = jsonFrom(text.slice(index), marker)
    if (json !== undefined) yield { name, marker: marker.trimEnd(), json }
  }
}

/** The value after a marker; undefined when it is a program's own object or list, which is no JSON. */
function jsonFrom(text: string, marker: string): unknown {
  try {
    return jsonAfter(text, marker)
  } catch {
    return undefined
  }
}
