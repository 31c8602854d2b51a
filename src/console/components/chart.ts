/**
 * A bar chart, drawn by the server as SVG: stacked bars with an axis and dates, a legend with totals, and a table behind
 * it. Colours come with patterns. All positions are percentages, so it fits every width while its texts keep their size.
 *
 * @module
 */
import { type Html, html } from '../../html.ts'
import { count, counted } from './parts.ts'

/** How a series looks; each has a colour and a pattern. */
export type Look =
  | 'one'
  | 'two'
  | 'three'
  | 'four'
  | 'five'
  | 'six'
  | 'rest'
  | 'good'
  | 'lost'
  | 'warn'
  | 'bad'

/** One part of each bar. */
export type Series = {
  readonly name: string
  /** one for each column; a part below 0 is not drawn, but counted */
  readonly values: readonly number[]
  /** by default one of six, by its place */
  readonly look?: Look
  /** where its name in the legend leads */
  readonly href?: string | undefined
}

export type Chart = {
  /** unique on the page */
  readonly id: string
  /** what it shows, as a sentence without its full stop */
  readonly caption: string
  /** the bars from left to right: short labels for the axis, full ones for the table */
  readonly columns: readonly { readonly short: string; readonly full: string }[]
  /** from the bottom of each bar to its top */
  readonly series: readonly Series[]
  /** what the values count, in the singular */
  readonly noun: string
  /** writes a value with its unit; by default values are numbers of nouns */
  readonly write?: ((value: number) => string) | undefined
  /** the label of the columns in the table */
  readonly column: string
  /** whether the series are named below; by default they are. A single one that is all of it needs no name */
  readonly hasLegend?: boolean
}

const LOOKS: readonly Look[] = ['one', 'two', 'three', 'four', 'five', 'six']
/** The pattern of each look over its colour: a path in a square of 8 pixels. */
const PATTERNS: Readonly<Record<Look, string>> = {
  one: '',
  two: 'M-2 2L2 -2M0 8L8 0M6 10L10 6',
  three: 'M0 2H8M0 6H8',
  four: 'M1 2H3M5 6H7',
  five: 'M-2 6L2 10M0 0L8 8M6 -2L10 2',
  six: 'M2 0V8M6 0V8',
  rest: 'M0 4H8M4 0V8',
  good: '',
  lost: 'M2 0V8M6 0V8',
  warn: 'M0 2H8M0 6H8',
  bad: 'M-2 2L2 -2M0 8L8 0M6 10L10 6',
}

/** The plot within its picture, in per cent from the top. */
const TOP = 5
const BOTTOM = 88
/** Labels below the bars. A phone has room for every second one. */
const MOST_LABELS = 8
/** The longest name in the tooltips and the table, in characters. The legend has the whole name. */
const NAME_LENGTH = 24

/** Draws a chart. Values that are 0 everywhere give an empty plot. */
export function chart(spec: Chart): Html {
  const { id, caption, columns, series, noun, hasLegend = true } = spec
  const { write = signed, write: amount = (value: number) => amountOf(value, noun) } = spec
  const looks = series.map(({ look }, i) => look ?? LOOKS[i % LOOKS.length]!)
  const totals = columns.map((_, i) => sum(series.map(({ values }) => values[i] ?? 0)))
  const top = topFor(Math.max(...columns.map((_, i) => height(series, i))))
  const at = (value: number) => percent(BOTTOM - (value / top) * (BOTTOM - TOP))
  const width = 100 / columns.length
  const ticks = [0, top / 2, top]
  const below = columns.map(() => 0)
  const bars = series.map(({ values }, n) => {
    const parts = columns.map((_, i) => {
      const value = Math.max(0, values[i] ?? 0)
      below[i]! += value
      if (value === 0) return false
      return html`<rect x="${percent((i + 0.12) * width)}" y="${at(below[i]!)}" width="${percent(0.76 * width)}" height="${percent((value / top) * (BOTTOM - TOP))}"/>`
    })
    return html`<g fill="url(#${id}-${looks[n]!})">${parts}</g>`
  })
  const tooltips = columns.map(({ full }, i) => {
    const shares = series
      .filter(({ values }) => series.length > 1 && (values[i] ?? 0) !== 0)
      .map(({ name, values }) => `\n${clipped(name)}: ${write(values[i] ?? 0)}`)
    return html`<rect x="${percent(i * width)}" y="${percent(TOP)}" width="${percent(width)}" height="${percent(BOTTOM - TOP)}"><title>${full}: ${amount(totals[i]!)}${shares}</title></rect>`
  })
  const lines = ticks.map(
    (tick) =>
      html`<line x1="0" x2="100%" y1="${at(tick)}" y2="${at(tick)}"${tick === 0 && html` class="base"`}/>`,
  )
  return html`<figure class="chart"><figcaption>${caption}: ${amount(sum(totals))} in all</figcaption>
<div class="plot" role="img" aria-label="${caption}. The table below has the numbers.">
<svg class="axis">${ticks.map((tick) => html`<text x="100%" y="${at(tick)}" dy="0.32em" text-anchor="end">${tickOf(tick, spec.write)}</text>`)}</svg>
<svg><defs>${[...new Set(looks)].map((look) => pattern(id, look))}</defs>${lines}${bars}<g class="tooltips">${tooltips}</g>${labels(columns.map((each) => each.short))}</svg>
</div>
${hasLegend && legend(id, series, looks, write)}
<details><summary>As a table</summary>${numbers(spec, totals, write)}</details></figure>`
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const percent = (value: number): string => `${Math.round(value * 100) / 100}%`
/** How high a bar is drawn. */
const height = (series: readonly Series[], i: number): number =>
  sum(series.map(({ values }) => Math.max(0, values[i] ?? 0)))
const clipped = (name: string): string => {
  const characters = [...name]
  return characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH - 1).join('')}…` : name
}
/** A number with a real minus sign. */
const signed = (value: number): string => count(value).replace('-', '−')
const amountOf = (value: number, noun: string): string => counted(value, noun).replace('-', '−')
/** A number for the axis: 1,200, 12K, 1.5M. */
const short = (value: number): string =>
  value < 10_000
    ? count(value)
    : value.toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** A value on the axis, whose room is narrow: ticks are round, `6 MB` and not `6.0 MB`. */
const tickOf = (tick: number, write: Chart['write']): string =>
  write?.(tick).replace('.0 ', ' ') ?? short(tick)

const TOPS = [10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100]
/** The top of an axis for values up to `value`: 2, 4, 6, 8, 10, 12, 16, 20, 24, …, whose halves are whole too. */
function topFor(value: number): number {
  if (value <= 8) return Math.max(2, 2 * Math.ceil(value / 2))
  const power = 10 ** Math.floor(Math.log10(value / 10 || 1))
  return (TOPS.find((each) => each * power >= value) ?? 100) * power
}

/** Labels below the bars, the last one always. */
function labels(texts: readonly string[]): Html[] {
  const step = Math.ceil(texts.length / MOST_LABELS)
  return texts.flatMap((text, i) => {
    if ((texts.length - 1 - i) % step !== 0) return []
    const at = (100 * (i + 0.5)) / texts.length
    const anchor = at > 96 ? 'end' : at < 4 ? 'start' : 'middle'
    const x = anchor === 'end' ? 100 : anchor === 'start' ? 0 : at
    const isSecond = ((texts.length - 1 - i) / step) % 2 === 1
    return html`<text x="${percent(x)}" y="98%" text-anchor="${anchor}"${isSecond && html` class="second"`}>${text}</text>`
  })
}

/** The pattern of a look, for the fill `url(#<id>-<look>)`. */
export const pattern = (id: string, look: Look): Html =>
  html`<pattern id="${id}-${look}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" class="look-${look}"/>${PATTERNS[look] !== '' && html`<path d="${PATTERNS[look]}"/>`}</pattern>`

type Write = (value: number) => string

function legend(id: string, series: readonly Series[], looks: readonly Look[], write: Write): Html {
  return html`<ul class="legend">${series.map(
    ({ name, values, href }, i) =>
      html`<li><svg class="swatch" aria-hidden="true"><rect width="100%" height="100%" fill="url(#${id}-${looks[i]!})"/></svg> ${href === undefined ? name : html`<a href="${href}">${name}</a>`} <span class="number">${write(sum(values))}</span></li>`,
  )}</ul>`
}

/** The numbers of all columns that have any, the last column first. */
function numbers({ caption, columns, series, column }: Chart, totals: readonly number[], write: Write): Html {
  const parts = series.length > 1 ? series : []
  const rows = columns.flatMap(({ full }, i) => {
    const values = series.map((each) => each.values[i] ?? 0)
    if (values.every((value) => value === 0)) return []
    const cells = [totals[i]!, ...(parts.length > 0 ? values : [])]
    return html`<tr><th scope="row">${full}</th>${cells.map((value) => html`<td class="number">${write(value)}</td>`)}</tr>`
  })
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><thead><tr><th scope="col">${column}</th><th scope="col" class="number">All</th>${parts.map(({ name }) => html`<th scope="col" class="number">${clipped(name)}</th>`)}</tr></thead><tbody>${rows.toReversed()}</tbody></table></div>`
}
