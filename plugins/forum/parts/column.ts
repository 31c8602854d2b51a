/**
 * The side column of a community's pages: its description and its rules.
 *
 * @module
 */
import { at, field, Link, reader, SourceChanged, type Static, textOf } from 'gleaner/plugin'
import { About, type Rule } from '../json/about.ts'
import { bodyOf, prefixOf } from '../json/values.ts'
import { labelOf, plainOf } from './text.ts'

export type Column = { readonly about: Static<typeof About>; readonly rules: Static<typeof Rule>[] }

const NO_NAME = 'a side column without the name of its community'
/** Words for who may read and post. */
const TYPES = /^(?:public|restricted|private|archived|premium)$/i

/** Reads the attributes of the column's header. Fields that it does not show are null. */
const aboutOf = reader(About, {
  id: field.text(
    'subreddit-id',
    undefined,
    (id) => (typeof id === 'string' && id.replace(/^t5_/, '')) || null,
  ),
  fullname: field.text('subreddit-id'),
  display_name: field.required(field.text('name'), NO_NAME),
  display_name_prefixed: field.required(field.text(['prefixed-name', 'name'], undefined, prefixOf), NO_NAME),
  title: field.text('display-name'),
  public_description: field.text('description', undefined, bodyOf),
  subscribers: field.integer('subscribers'),
  created_at: field.time('created'),
  // The attribute has no value.
  over18: field.value(About.properties.over18, (row) => (Object.hasOwn(row as object, 'nsfw') ? true : null)),
  subreddit_type: field.text('type'),
  url: field.value(Link(), (row, origin) => `${origin}/r/${at(row, 'name')}/`),
})

/**
 * The description and rules of a community; undefined for a page that is no side column.
 *
 * @throws {SourceChanged} for the column of another community, and for a rule that cannot be read
 */
export function columnIn(document: Document, community: string, origin: string): Column | undefined {
  const aside = document.querySelector('aside[aria-label="Community information"]')
  const header = aside?.querySelector('shreddit-subreddit-header')
  if (!aside || !header) return undefined
  const attributes = Object.fromEntries([...header.attributes].map(({ name, value }) => [name, value.trim()]))
  if (attributes.name?.toLowerCase() !== community.toLowerCase()) throw new SourceChanged(NO_NAME)
  const time = aside.querySelector('time[datetime]')
  const about = aboutOf(
    { ...attributes, created: time?.getAttribute('datetime'), type: time && typeBeside(time) },
    origin,
  )
  return { about, rules: [...aside.querySelectorAll('details')].map(ruleOf) }
}

/** The word for who may read and post, which stands beside the day of creation. */
function typeBeside(time: Element): string | null {
  const line = time.closest('div')
  const beside = [...(line?.querySelectorAll('*') ?? []), line?.nextElementSibling]
  return (
    beside
      .map(labelOf)
      .find((label) => label !== null && TYPES.test(label))
      ?.toLowerCase() ?? null
  )
}

/** @throws {SourceChanged} when it has no number and name: a shorter list would be wrong */
function ruleOf(details: Element): Static<typeof Rule> {
  const summary = details.querySelector('summary')
  // Without blanks between its elements, the number would run into the name.
  const title = textOf(summary?.innerHTML.replaceAll('<', ' <'))?.replace(/\s+/g, ' ')
  const [, number, name] = /^(\d{1,4})\.? (.+)$/.exec(title ?? '') ?? []
  if (number === undefined || name === undefined)
    throw new SourceChanged('a rule without its number and name')
  const rest = [...details.children].filter((child) => child !== summary).map(plainOf)
  return {
    short_name: name,
    description: rest.filter((text) => text !== null).join('\n\n') || null,
    kind: null,
    violation_reason: null,
    priority: Number(number) - 1,
    created_at: null,
  }
}
