/**
 * A state as a badge: an image of one line for other sites, without scripts, styles or fonts of its own.
 *
 * @module
 */
import type { Health } from '../../domain/health/standing.ts'
import { html } from '../../html.ts'

/** The colours keep their contrast with white text, on light and dark pages. */
const COLOURS: Readonly<Record<Health, string>> = {
  healthy: '#1a7f47',
  degraded: '#8a5a00',
  drifting: '#8a5a00',
  broken: '#b3261e',
  unknown: '#5a616b',
}
const HEIGHT = 20
const PADDING = 7
/** The mean width of a character of a sans-serif font of 11 pixels. The text is fitted to its place. */
const CHARACTER = 6.2
const LONGEST = 60

/** Draws a badge. @param label what the state is of */
export function badgeSvg(label: string, state: Health): string {
  const name = [...label].slice(0, LONGEST).join('')
  const left = part(name, 0)
  const right = part(state, left.width)
  const width = left.width + right.width
  const text = ({ text, x, length }: typeof left) =>
    html`<text x="${x}" y="14" textLength="${length}" lengthAdjust="spacingAndGlyphs">${text}</text>`
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${name}: ${state}"><title>${name}: ${state}</title><clipPath id="r"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="${left.width}" height="${HEIGHT}" fill="#33373d"/><rect x="${left.width}" width="${right.width}" height="${HEIGHT}" fill="${COLOURS[state]}"/></g><g fill="#fff" font-family="Verdana,DejaVu Sans,Liberation Sans,sans-serif" font-size="11">${text(left)}${text(right)}</g></svg>`
    .text
}

function part(text: string, start: number) {
  const length = Math.round([...text].length * CHARACTER)
  return { text, x: start + PADDING, length, width: length + 2 * PADDING }
}
