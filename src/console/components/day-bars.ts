/**
 * A row of small bars, one a day, drawn by the server as SVG. Colours come with patterns and heights. A page that shows
 * several draws the patterns once.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { type Look, pattern } from './chart.ts'

/** The bars of one look. */
export type BarSeries = {
  readonly look: Look
  /** one for each day */
  readonly values: readonly number[]
}

export type DayBars = {
  /** what it shows, for those who cannot see it */
  readonly label: string
  /** what each day shows when one points at it */
  readonly titles: readonly string[]
  /** from the bottom of each bar to its top */
  readonly series: readonly BarSeries[]
  /** the value of a bar of full height */
  readonly top: number
}

const ID = 'bar'
const STEP = 10
const WIDTH = 7
const HEIGHT = 40

/** The patterns of all bars of a page, which stand before them. */
export const barPatterns = (looks: readonly Look[]): Html =>
  html`<svg class="chart bar-patterns" aria-hidden="true"><defs>${looks.map((look) => pattern(ID, look))}</defs></svg>`

/** Draws bars. A day without a value has a short line, so that it is not mistaken for the edge of the row. */
export function dayBars({ label, titles, series, top }: DayBars): Html {
  const below = titles.map(() => 0)
  const paths = series.map(({ look, values }) => {
    const d = titles.map((_, i) => {
      const value = values[i] ?? 0
      if (value <= 0) return ''
      below[i]! += value
      const y = HEIGHT - (HEIGHT * below[i]!) / top
      return bar(i, y, Math.max(1, (HEIGHT * value) / top))
    })
    return html`<path fill="url(#${ID}-${look})" d="${d.join('')}"/>`
  })
  const none = titles.map((_, i) => (below[i] === 0 ? bar(i, HEIGHT - 2, 2) : ''))
  const width = titles.length * STEP - (STEP - WIDTH)
  const tooltips = titles.map(
    (title, i) => html`<path d="M${i * STEP} 0h${STEP}v${HEIGHT}h-${STEP}z"><title>${title}</title></path>`,
  )
  return html`<svg class="day-bars" role="img" aria-label="${label}" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}"><path class="no-bar" d="${none.join('')}"/>${paths}<g class="tooltips">${tooltips}</g></svg>`
}

const bar = (i: number, y: number, height: number): string =>
  `M${i * STEP} ${round(y)}h${WIDTH}v${round(height)}h-${WIDTH}z`
const round = (value: number): number => Math.round(value * 10) / 10

/** What each look means. */
export const barLegend = (looks: readonly (readonly [Look | 'none', string])[]): Html =>
  html`<ul class="bar-legend">${looks.map(
    ([look, name]) =>
      html`<li><svg class="swatch" aria-hidden="true" viewBox="0 0 12 12">${look === 'none' ? html`<path class="no-bar" d="M0 10h12v2h-12z"/>` : html`<rect width="12" height="12" fill="url(#${ID}-${look})"/>`}</svg> ${name}</li>`,
  )}</ul>`
