/**
 * The cards of a result page in the form for screen readers: whole sentences, without airport codes, years and currency
 * codes. Newer pages contain each card twice.
 *
 * @module
 */
import { numberOrNull, textOf } from 'gleaner/plugin'
import { datedDay, daysBetween } from '../days.ts'
import { emptyItinerary, emptyLayover, emptySegment, type Itinerary, type PriceScope } from '../itinerary.ts'

/** A card: the source's id of the offer, and the sentences. */
export type Card = { readonly id: string | null; readonly label: string }

const CARD = / flight with .* Total duration .* Select flight$/
/** The longest label, in characters. Labels of cards have a few hundred. */
const LONGEST = 5000

/** The cards of a page, without duplicates. */
export function cardsOf(html: string): Card[] {
  const cards = new Map<string, Card>()
  let id: string | null = null
  for (const [, offer, label] of html.matchAll(/ (?:data-id="([^"]*)"|aria-label="([^"]*)")/g)) {
    if (offer !== undefined) id = textOf(offer)
    // All kinds of white space become a blank: before AM and PM the source writes a narrow no-break space.
    const text = textOf(label)?.replace(/\s+/g, ' ')
    if (!text || text.length > LONGEST || !CARD.test(text)) continue
    const key = id ?? text
    if (!cards.has(key)) cards.set(key, { id, label: text })
    id = null
  }
  return [...cards.values()]
}

/**
 * A card as an item. Fields that no sentence mentions are null, such as the codes of the airports.
 *
 * @param depart the requested day, from which the years are derived
 */
export function itineraryOfCard({ id, label }: Card, depart: string, scope: PriceScope): Itinerary {
  const [, price, money] = /^From ([\d,]+(?:\.\d+)?) (.+?)(?: round trip total)?\. /.exec(label) ?? []
  const amount = numberOrNull(price?.replaceAll(',', ''))
  const [, stops, airlines] = AIRLINES.exec(label) ?? []
  const departs = momentOf(LEAVES, label, depart)
  const arrives = momentOf(ARRIVES, label, departs.day ?? depart)
  const minutes = minutesOf(/Total duration ((?:\d+ (?:hr|min) ?)+)/.exec(label)?.[1])
  const names = airlines?.split(/,? and |, /) ?? []
  const isNonstop = stops === 'Nonstop'
  const times = { departure_at: departs.at, arrival_at: arrives.at, duration_minutes: minutes }
  const segment = {
    ...emptySegment(null),
    ...times,
    origin_name: departs.airport,
    destination_name: arrives.airport,
    airline: names.length === 1 ? names[0]! : null,
    operated_by: OPERATOR.exec(label)?.[1] ?? null,
  }
  return {
    ...emptyItinerary(null),
    ...times,
    offer_id: id,
    airlines: names,
    arrival_day_offset: daysBetween(departs.day, arrives.day),
    stops: isNonstop ? 0 : numberOrNull(stops),
    price: amount,
    price_display: amount === null ? null : Math.round(amount),
    currency: money === undefined ? null : currencyOf(money),
    price_scope: scope,
    segments: isNonstop ? [segment] : [],
    layovers: layoversOf(label),
  }
}

// Names may contain dots (St. Louis), so a sentence ends where one of the next ones begins.
const AIRLINES = /(Nonstop|\d+) (?:stops? )?flight with (.+?)\. (?=Operated by |Leaves )/
const OPERATOR = /Operated by (.+?)\. (?=Leaves )/
const LEAVES = /Leaves (.+?) at (\d+):(\d\d) ([AP])M on \w+, (\w{3})\w* (\d+)/
const ARRIVES = /arrives at (.+?) at (\d+):(\d\d) ([AP])M on \w+, (\w{3})\w* (\d+)/
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

type Moment = { readonly airport: string | null; readonly day: string | null; readonly at: string | null }

function momentOf(form: RegExp, label: string, near: string): Moment {
  const [, airport, hour, minute, half, month, date] = form.exec(label) ?? []
  if (airport === undefined) return { airport: null, day: null, at: null }
  const day = dayNear(near, MONTHS.indexOf(month!) + 1, Number(date))
  const clock = (Number(hour) % 12) + (half === 'P' ? 12 : 0)
  return { airport, day, at: day && `${day}T${String(clock).padStart(2, '0')}:${minute}:00` }
}

/** The day with this month and date that is nearest to another day, in any year. */
function dayNear(near: string, month: number, date: number): string | null {
  const year = Number(near.slice(0, 4))
  const days = [year - 1, year, year + 1].map((each) => datedDay(each, month, date))
  const far = (day: string) => Math.abs(daysBetween(near, day) ?? 0)
  return days.filter((day) => day !== null).sort((a, b) => far(a) - far(b))[0] ?? null
}

/** The minutes of a text such as `13 hr 5 min`, `2 hr` or `45 min`. */
function minutesOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const [hours, minutes] = [/(\d+) hr/, /(\d+) min/].map((form) => Number(form.exec(text)?.[1] ?? 0))
  return hours! * 60 + minutes!
}

function layoversOf(label: string): Itinerary['layovers'] {
  const form =
    /Layover \(\d+ of \d+\) is an? ((?:\d+ (?:hr|min) )+)(?:overnight )?layover(?: at (.+?))? in (.+?)\. (?=Layover|Transfer|Select)/g
  return [...label.matchAll(form)].map(([, time, airport, city]) => ({
    ...emptyLayover(null),
    airport_name: airport ?? null,
    city: city ?? null,
    minutes: minutesOf(time),
  }))
}

/**
 * The code of a currency from its English name in a sentence, such as `US dollars`; null when unknown. The names of most
 * currencies have a plural in s.
 */
export function currencyOf(name: string): string | null {
  const names = new Intl.DisplayNames('en', { type: 'currency' })
  const singular = name.toLowerCase().replace(/s$/, '')
  const isMeant = (code: string) => names.of(code)?.toLowerCase() === singular
  return Intl.supportedValuesOf('currency').find(isMeant) ?? null
}
